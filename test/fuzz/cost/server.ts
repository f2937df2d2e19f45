/** A built server with default limits and tokens, whose event loop and memory are monitored. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readyUrl } from '../../bench/measuring/processes.js';
import { SECRET } from '../../support/server/tokens.js';

/** The default of Node on a machine with 16 GiB of memory or more. */
export const DEFAULT_HEAP_MIB = 4_096;

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
  return {
    url,
    turns: async (isRest = false) => {
      if (child.exitCode !== null || child.signalCode !== null) return null;
      const reported = once(child, 'message') as Promise<[Turns]>;
      child.send(isRest ? 'rest' : 'turns', () => {});
      return Promise.race([reported.then(([turns]) => turns), exited.then(() => null)]);
    },
    reason: () => /FATAL ERROR: (.*)/.exec(log)?.[1] ?? `${child.signalCode ?? child.exitCode}: ${log.slice(-500)}`,
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await exited;
    },
  };
}
