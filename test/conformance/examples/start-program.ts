/** Runs programs until the end of a test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/**
 * Starts a program; settles after it has printed a text that matches `says`. Ends it with its child processes at the
 * end of the test.
 */
export async function start(command: readonly string[], cwd: string, says: RegExp, env: Record<string, string> = {}) {
  const [program = '', ...args] = command;
  // A separate process group, because npm forwards no signal.
  const child = spawn(program, args, { cwd, env: { ...process.env, NO_COLOR: '1', ...env }, detached: true });
  const exited = once(child, 'exit');
  let printed = '';
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid!, 'SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        const found = says.exec(printed);
        if (found !== null) resolve(found);
      });
    }
    exited.then(() => reject(new Error(`${program} has ended:\n${printed}`)), reject);
  });
  return { match, printed: () => printed, kill, write: (text: string) => child.stdin.write(text) };
}
