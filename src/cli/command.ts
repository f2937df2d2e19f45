/** What the commands have in common: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { messageOf } from '../message-of.js';
import type { Lines } from './terminal.js';

/** The exit codes of every command: it is done, it could not be done (or not all of it), the arguments are wrong. */
export const EXIT = { done: 0, failed: 1, wrongUsage: 2 } as const;

export interface Command<Request extends object> {
  usage: string;
  /**
   * What the arguments ask for.
   * @throws Error that says what is wrong with them
   */
  read(args: string[]): Request | 'help';
  /** @returns the exit code. What it throws is told in the words of its message, and is `failed` */
  run(request: Request): Promise<number>;
}

/** @returns the exit code: see EXIT */
export async function runCommand<Request extends object>(
  args: readonly string[],
  terminal: Lines,
  { usage, read, run }: Command<Request>,
): Promise<number> {
  let request;
  try {
    request = read([...args]);
  } catch (error) {
    terminal.error(`${messageOf(error)}\n\n${usage}`);
    return EXIT.wrongUsage;
  }
  if (request === 'help') {
    terminal.out(usage);
    return EXIT.done;
  }
  try {
    return await run(request);
  } catch (error) {
    terminal.error(messageOf(error));
    return EXIT.failed;
  }
}

/** Reads the arguments of a command that works on the database of DATABASE_URL, and takes none. */
export function readNoArguments(args: string[]): object | 'help' {
  try {
    const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
    return values.help ? 'help' : {};
  } catch {
    // What parseArgs says has the argument in it, and that may be a URL with a password.
    throw new Error("It takes no arguments: the database is DATABASE_URL's.");
  }
}
