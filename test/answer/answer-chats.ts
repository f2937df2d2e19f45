/** `npm run answer` in this process, and its output. */
import { onTestFinished } from 'vitest';
import { runAnswer } from '../../examples/answer/run-answer.js';

export interface AnsweringChats {
  /** Settles with the first line that matches, printed before or after the call. */
  line(pattern: RegExp): Promise<string>;
  readonly lines: readonly string[];
  /** Settles with the exit code. */
  readonly exited: Promise<number>;
  /** Ends the command like SIGTERM. */
  end(): Promise<number>;
}

/** Starts the command; it ends at the latest with the test. */
export function startAnswering(args: readonly string[], environment: NodeJS.ProcessEnv = {}): AnsweringChats {
  const ending = new AbortController();
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const print = (line: string) => {
    lines.push(line);
    for (const look of waiting) look();
  };
  const exited = runAnswer(args, { out: print, error: print }, environment, ending.signal);
  const end = () => {
    ending.abort();
    return exited;
  };
  onTestFinished(async () => void (await end()));
  const line = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = lines.find((each) => pattern.test(each));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void exited.then(() => reject(new Error(`The command ended without ${pattern}:\n${lines.join('\n')}`)));
    });
  return { line, lines, exited, end };
}

/** Starts the command with the model echo, and waits until it follows the chats. */
export async function startEcho(url: string, ...args: string[]): Promise<AnsweringChats> {
  const answering = startAnswering(['--url', url, '--model', 'echo', '--echo-delay', '0', ...args]);
  await answering.line(/^Answering /);
  return answering;
}
