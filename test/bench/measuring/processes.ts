/** Starts a built server with given settings, and other processes of a measurement. */
import { fork, spawn, type ChildProcess, type ForkOptions } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface Running {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/**
 * @param settings by the names of their variables
 * @param folder of the build
 * @throws Error if it ends before it is ready
 */
export async function startParley(settings: Record<string, string>, folder = '.'): Promise<Running> {
  const child = spawn(process.execPath, [join(folder, 'dist', 'main.js')], {
    env: { ...process.env, PORT: '0', DEMO: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyUrl(child);
  return { url, pid: child.pid!, stop: () => end(child) };
}

/** Waits until a server prints that it is ready. @throws Error if it ends before */
export async function readyUrl(server: ChildProcess): Promise<string> {
  let output = '';
  for await (const piece of server.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += piece;
    const url = /(http:\S+)\n/.exec(output)?.[1];
    if (url === undefined) continue;
    // Drain later output, so that a full pipe does not block the server.
    server.stdout!.resume();
    return url;
  }
  throw new Error(`The server did not start: ${output}`);
}

/** A process that responds to each message with one message. */
export interface Worker {
  pid: number;
  ask(message: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

/** Runs a file as such a process. */
export function startWorker(file: URL, options: ForkOptions = {}): Worker {
  const child = fork(file, options);
  let waiting: { resolve: (answer: unknown) => void; reject: (error: Error) => void } | null = null;
  child.on('message', (answer) => {
    waiting?.resolve(answer);
    waiting = null;
  });
  child.on('exit', () => waiting?.reject(new Error(`${file.pathname} has ended`)));
  return {
    pid: child.pid!,
    ask: (message) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        // A process that has ended already is reported like one that ends now.
        child.send(message as object, (error) => error && reject(error));
      }),
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
