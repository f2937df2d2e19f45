/** A built server with default limits and tokens, whose event loop and memory are monitored. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { readyUrl } from '../../bench/measuring/processes.js';
import { SECRET } from '../../support/server/tokens.js';

/** The default of Node on a machine with 16 GiB of memory or more. */
export const DEFAULT_HEAP_MIB = 4_096;

/** The interval of checks whether a server is idle, its longest turn then, and the maximum duration of the checks. */
const ROUND_MS = 50;
const IDLE_TURN_MS = 20;
const MAX_BUSY_MS = 15_000;

/** The kept end of the log. */
const LOG_CHARACTERS = 20_000;

/** Measurements since the last call. */
export interface Turns {
  /** The longest turn of the event loop, in milliseconds of processor time. */
  turnMs: number;
  /** Reachable memory beyond that at rest: the heap and buffers outside of it. */
  grownBytes: number;
  residentBytes: number;
  heapLimitBytes: number;
}

export interface WatchedServer {
  url: string;
  /**
   * Null if the process has ended.
   * @param isRest whether the memory of now is that at rest from now on
   */
  turns(isRest?: boolean): Promise<Turns | null>;
  /**
   * Waits until the server has had no work for some milliseconds. Null if the process has ended.
   * @returns the largest figures since the last call
   */
  untilIdle(idleMs: number): Promise<Turns | null>;
  /** The reason of the end of the process, from its log. */
  reason(): string;
  stop(): Promise<void>;
}

export async function startWatched(databaseUrl: string, heapMib = DEFAULT_HEAP_MIB): Promise<WatchedServer> {
  const flags = ['--expose-gc', `--max-old-space-size=${heapMib}`, '--import', './test/fuzz/cost/turn-watch.mjs'];
  const child = spawn(process.execPath, [...flags, 'dist/main.js'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      AUTH_JWT_SECRET: SECRET,
      // The forwarded address distinguishes clients.
      TRUSTED_PROXIES: '127.0.0.1',
      PORT: '0',
      DEMO: 'off',
      LOG_LEVEL: 'error',
      // Operations are measured one by one, at a higher rate than the limit for one user.
      RATE_LIMIT_PER_USER: '0',
      RATE_LIMIT_PER_ADDRESS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let log = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-LOG_CHARACTERS)));
  const exited = once(child, 'exit');
  const url = await readyUrl(child);
  const server: WatchedServer = {
    url,
    turns: async (isRest = false) => {
      if (child.exitCode !== null || child.signalCode !== null) return null;
      const reported = once(child, 'message') as Promise<[Turns]>;
      child.send(isRest ? 'rest' : 'turns', () => {});
      return Promise.race([reported.then(([turns]) => turns), exited.then(() => null)]);
    },
    untilIdle: async (idleMs) => {
      let [turnMs, grownBytes] = [0, 0];
      const ends = performance.now() + MAX_BUSY_MS;
      for (let idle = 0; ;) {
        await pause(ROUND_MS);
        const turns = await server.turns();
        if (turns === null) return null;
        idle = turns.turnMs < IDLE_TURN_MS ? idle + ROUND_MS : 0;
        turnMs = Math.max(turnMs, turns.turnMs);
        grownBytes = Math.max(grownBytes, turns.grownBytes);
        if (idle >= idleMs || performance.now() > ends) return { ...turns, turnMs, grownBytes };
      }
    },
    reason: () => /FATAL ERROR: (.*)/.exec(log)?.[1] ?? `${child.signalCode ?? child.exitCode}: ${log.slice(-500)}`,
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await exited;
    },
  };
  return server;
}
