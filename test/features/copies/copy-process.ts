/** The built `npm run copy` in a child process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));

export interface CopyProcess {
  kill(): void;
  /** Settles when the process has ended. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string[]; error: string[] }>;
}

/** @param nodeOptions options of Node */
export function startCopy(from: string, to: string, nodeOptions: readonly string[] = []): CopyProcess {
  const child = spawn(process.execPath, [...nodeOptions, 'dist/cli/parley.js', 'copy', '--from', from, '--to', to], {
    cwd: PROJECT,
    // The tests' own environment is not passed on.
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const exited = Promise.all([ended, text(child.stdout), text(child.stderr)]).then(([[code, signal], out, error]) => ({
    code,
    signal,
    out: lines(out),
    error: lines(error),
  }));
  const kill = () => void child.kill('SIGKILL');
  onTestFinished(async () => {
    kill();
    await exited;
  });
  return { kill, exited };
}

function lines(output: string): string[] {
  return output.split('\n').filter((line) => line !== '');
}
