/** The built server with settings of its own, and other processes that take part in a measurement. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Running {
  /** Of the WebSockets. */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** @throws Error when it ends before it is ready */
export async function startParley(settings: Record<string, string>): Promise<Running> {
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { ...process.env, PORT: '0', DEMO: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const piece of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += piece;
    const url = /http(:\S+)\n/.exec(output)?.[1];
    if (url !== undefined) return { url: `ws${url}`, pid: child.pid!, stop: () => end(child) };
  }
  throw new Error(`The server did not start: ${output}`);
}

/** A file beside this one, as a process that answers each message with one. */
export interface Worker {
  pid: number;
  ask(message: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

export function startWorker(file: string): Worker {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)));
  let waiting: { resolve: (answer: unknown) => void; reject: (error: Error) => void } | null = null;
  child.on('message', (answer) => {
    waiting?.resolve(answer);
    waiting = null;
  });
  child.on('exit', () => waiting?.reject(new Error(`${file} has ended`)));
  return {
    pid: child.pid!,
    ask: (message) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        child.send(message as object);
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
