/** A separate Redis for one test, which can be frozen, killed and restarted. Runs the installed redis-server. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.js';

const PLACES = ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/opt/homebrew/bin/redis-server'];

/** Undefined without an executable; `REDIS_SERVER_PATH` names another path. */
export const redisServerPath = [process.env['REDIS_SERVER_PATH'] ?? [], PLACES].flat().find((path) => existsSync(path));

/** Appended to the titles of skipped tests. */
export const noRedis =
  redisServerPath === undefined ? ' (skipped: no redis-server on this machine; REDIS_SERVER_PATH can name one)' : '';

/** Runs Redis until stdin ends, so that no process remains if the caller is killed. */
const GUARDED = '"$@" & server=$!; exec >&-; read -r _; kill -KILL $server; wait $server 2>/dev/null';

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Stops the process: connections stay open without responses. */
  stop(): void;
  cont(): void;
  /** Kills the process. */
  kill(): Promise<void>;
  /** Restarts it after a kill, on the same port. */
  start(): Promise<void>;
}

/**
 * Starts Redis until the end of the test.
 * @param settings additional flags of redis-server
 */
export async function startRedis(...settings: string[]): Promise<RedisServer> {
  const port = await freePort();
  let running: { guard: ChildProcess; pid: number; ended: Promise<unknown> } | undefined;
  const signal = (name: NodeJS.Signals) => {
    if (running !== undefined) process.kill(running.pid, name);
  };
  const redis: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop: () => signal('SIGSTOP'),
    cont: () => signal('SIGCONT'),
    async kill() {
      if (running === undefined) return;
      const { guard, ended } = running;
      running = undefined;
      guard.stdin?.end();
      await ended;
    },
    async start() {
      running = await launch(['--port', String(port), ...settings]);
    },
  };
  onTestFinished(() => redis.kill());
  await redis.start();
  return redis;
}

/** @throws Error with its output if it ends before it is ready */
async function launch(flags: string[]): Promise<{ guard: ChildProcess; pid: number; ended: Promise<unknown> }> {
  if (redisServerPath === undefined) throw new Error('redis-server is not installed');
  const command = [redisServerPath, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...flags];
  const guard = spawn('sh', ['-c', GUARDED, 'redis', ...command], { stdio: ['pipe', 'pipe', 'inherit'] });
  const output = guard.stdout.setEncoding('utf8');
  const ended = Promise.all([once(output, 'close'), once(guard, 'close')]);
  let log = '';
  const pid = await new Promise<number>((resolve, reject) => {
    output.on('data', (piece: string) => {
      if (log.length < 100_000) log += piece;
      const [, pid] = /^(\d+):M .* Ready to accept connections/m.exec(log) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    });
    output.once('end', () => {
      guard.stdin.end();
      reject(new Error(`redis-server ended:\n${log}`));
    });
    guard.once('error', reject);
  });
  return { guard, pid, ended };
}
