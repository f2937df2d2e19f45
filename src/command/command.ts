/** One command of `parley`: its arguments are parsed by commander, and its result is an exit code. */
import type { Writable } from 'node:stream';
import { Command, CommanderError } from 'commander';
import type { AuditRecord } from '../audit.js';
import type { TableCheck } from '../database/table-check.js';
import type { Connection } from '../database/connection/connection.js';
import type { OpenOptions } from '../database/opening/open.js';
import type { FileService } from '../file-service.js';
import { messageOf } from '../system/message-of.js';
import type { Terminal } from './terminal.js';

/** The exit codes of every command: all done, failed (or done in part), wrong arguments. */
export const EXIT = { done: 0, failed: 1, wrongUsage: 2 } as const;

/** Everything that a command reads and writes, apart from databases and files. */
export interface CommandContext {
  terminal: Terminal;
  /** @default process.env */
  environment?: NodeJS.ProcessEnv | undefined;
  /** Standard output, for an export. @default process.stdout */
  output?: Writable;
  features: () => Promise<CommandFeatures>;
  /** Ends a command that runs until it is stopped. @default SIGTERM and SIGINT */
  signal?: AbortSignal;
}

export interface CommandFeatures {
  /**
   * Runs work that accesses chats, with its record in the audit log.
   * @param config the settings of the process
   * @param work gets null when the log is off
   */
  withAudit<T>(
    config: object,
    command: string,
    terminal: Terminal,
    work: (audit: AuditRecord | null) => Promise<T>,
  ): Promise<T>;
  /** @param config the settings of the process */
  openFeatures(config: object): NonNullable<OpenOptions['hooksOf']>;
  readonly files: FileService;
  readonly ALL_CHECKS: readonly TableCheck[];
  /** Copies what features store besides chats. */
  copyFeatures(source: Connection, target: Connection): Promise<void>;
}

export interface CommandEntry {
  summary: string;
  load(): Promise<{ command: CommandDefinition }>;
  /** Ends the process with the command, which leaves connections and timers open. */
  endsProcess?: true;
}

export interface CommandDefinition<Request extends object = object> {
  /** Declares the description, the arguments and the options. */
  define(command: Command): Command;
  /**
   * Checks the parsed arguments.
   * @throws Error for values that the command refuses; it is reported as wrong usage
   */
  read(options: never, operands: string[], context: CommandContext): Request;
  /**
   * @returns the exit code
   * @throws Error whose message is reported; the exit code is `failed` then
   */
  run(request: Request, context: CommandContext): Promise<number>;
}

/** The request of a command with a source and a target. */
export interface FromTo {
  from: string;
  to: string;
}

/** Declares the options of FromTo, which are required. */
export function withFromTo(command: Command, argument: 'URL' | 'ID', { from, to }: FromTo): Command {
  return command.requiredOption(`--from <${argument}>`, from).requiredOption(`--to <${argument}>`, to);
}

/** @returns the exit code: see EXIT */
export async function runCommand<Request extends object>(
  name: string,
  { define, read, run }: CommandDefinition<Request>,
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const command = define(new Command(`parley ${name}`)).helpOption('-h, --help', 'show this');
  // Errors are thrown and reported here: commander itself would end the process.
  command.exitOverride().configureOutput({ writeOut: (text) => terminal.out(text.trimEnd()), writeErr: () => {} });
  let request;
  try {
    command.parse(args, { from: 'user' });
    request = read(command.opts<never>(), command.args, context);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === EXIT.done) return EXIT.done;
    terminal.error(`${usageFault(error)}\n\n${command.helpInformation().trimEnd()}`);
    return EXIT.wrongUsage;
  }
  try {
    return await run(request, context);
  } catch (error) {
    terminal.error(messageOf(error));
    return EXIT.failed;
  }
}

function usageFault(error: unknown): string {
  const message = messageOf(error);
  // An unknown option may be a URL with a password: the message repeats its name alone.
  if (!(error instanceof CommanderError) || error.code !== 'commander.unknownOption') return message;
  return message.replace(/'(--?[a-z-]*)[^]*'/i, "'$1'");
}
