import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../../support/server/free-port.js';

/** Starts the installed Redis without persistence; null if none is installed. */
export async function startRedis(): Promise<{ url: string; stop: () => Promise<unknown> } | null> {
  const port = await freePort();
  const flags = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
  const child = spawn(process.env['REDIS_SERVER_PATH'] ?? 'redis-server', flags, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const isThere = await new Promise<boolean>((resolve) => {
    let log = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      log += piece;
      if (log.includes('Ready to accept connections')) resolve(true);
    });
    child.once('error', () => resolve(false));
    child.once('exit', () => resolve(false));
  });
  if (!isThere) return null;
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      return exited;
    },
  };
}
