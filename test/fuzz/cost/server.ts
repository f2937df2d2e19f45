/** A built server with default limits and tokens, whose event loop is monitored. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readyUrl } from '../../bench/measuring/processes.js';
import { SECRET } from '../../support/server/tokens.js';

/** Measurements since the last call. */
export interface Turns {
  /** The longest turn of the event loop, in milliseconds. */
  turnMs: number;
  residentBytes: number;
}

export interface WatchedServer {
  url: string;
  /** Null if the process has ended. */
  turns(): Promise<Turns | null>;
  stop(): Promise<void>;
}

export async function startWatched(databaseUrl: string): Promise<WatchedServer> {
  const child = spawn(process.execPath, ['--import', './test/fuzz/cost/turn-watch.mjs', 'dist/main.js'], {
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
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const url = await readyUrl(child);
  return {
    url,
    turns: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return null;
      const reported = once(child, 'message') as Promise<[Turns]>;
      child.send('turns', () => {});
      return Promise.race([reported.then(([turns]) => turns), exited.then(() => null)]);
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
