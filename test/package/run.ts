/** Runs programs like users of the package. */
import { execFile } from 'node:child_process';

/** The exit code of a program, and its output. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. */
export function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  const options = { cwd, env: { ...outside(), ...env }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise<Ended>((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ code: 0, stdout, stderr });
      else if (typeof error.code === 'number') resolve({ code: error.code, stdout, stderr });
      else reject(new Error(`${command} did not end by itself: ${error.message}`, { cause: error }));
    });
  });
}

/**
 * The output of a program that must exit with 0.
 * @throws Error with its output for another exit code
 */
export async function outputOf(...call: Parameters<typeof run>): Promise<string> {
  const { code, stdout, stderr } = await run(...call);
  if (code !== 0) throw new Error(`${call[0]} ${call[1].join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** The environment without npm's and Vitest's variables of this project. */
function outside(): NodeJS.ProcessEnv {
  const ours = /^(npm_package_|npm_lifecycle_|npm_config_local_prefix$|NODE_|VITEST|INIT_CWD$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
