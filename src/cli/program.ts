/** The program `parley`: each command is loaded when it is called, so that the others cost no start time. */
import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { featureCommands } from '../features/all-commands.js';
import { EXIT, runCommand, type CommandEntry } from '../command/command.js';
import type { Terminal } from '../command/terminal.js';

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  start: {
    summary: 'start the server',
    load: () => import('./commands/start.js'),
    endsProcess: true,
  },
  schema: { summary: 'write schema.graphql', load: () => import('./commands/schema.js') },
  ...featureCommands,
};

/**
 * Runs the command that the first argument names.
 * @returns the exit code, and whether the process must end with it
 */
export async function runProgram(
  [first = '', ...rest]: readonly string[],
  terminal: Terminal,
): Promise<{ code: number; endsProcess: boolean }> {
  // `parley help import` is `parley import --help`.
  const [name = '', ...args] = first === 'help' && rest.length > 0 ? [...rest.slice(0, 1), '--help'] : [first, ...rest];
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined) return { code: describeProgram([name, ...args]), endsProcess: false };
  await import('../features/all-forms.js');
  const { command } = await entry.load();
  return {
    code: await runCommand(name, command, args, { terminal, features: () => import('./command-features.js') }),
    endsProcess: entry.endsProcess ?? false,
  };
}

/** Prints the list of commands or the version, or reports an unknown command. */
function describeProgram(args: string[]): number {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  const program = new Command('parley')
    .description('A GraphQL server for conversations that branch. `parley COMMAND --help` describes a command.')
    .version(version, '-V, --version', 'show the version')
    .helpOption('-h, --help', 'show this')
    .exitOverride();
  for (const [name, { summary }] of Object.entries(COMMANDS)) program.command(name).description(summary);
  try {
    program.parse(
      args.filter((each) => each !== ''),
      { from: 'user' },
    );
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === EXIT.done ? EXIT.done : EXIT.wrongUsage;
  }
}
