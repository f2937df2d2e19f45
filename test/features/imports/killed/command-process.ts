/** The built `npm run import` or `npm run export` as a separate process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const PROJECT = fileURLToPath(new URL('../../../../', import.meta.url));

export interface CommandProcess {
  kill(): void;
  /** Settles when it has ended. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string; error: string }>;
}

export function startCommand(name: 'import' | 'export', url: string, ...args: string[]): CommandProcess {
  const child = spawn(process.execPath, ['dist/cli/parley.js', name, ...args], {
    cwd: PROJECT,
    // Nothing of the shell that runs the tests.
    env: { DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const exited = Promise.all([ended, text(child.stdout), text(child.stderr)]).then(([[code, signal], out, error]) => ({
    code,
    signal,
    out,
    error,
  }));
  const kill = () => void child.kill('SIGKILL');
  onTestFinished(async () => {
    kill();
    await exited;
  });
  return { kill, exited };
}
