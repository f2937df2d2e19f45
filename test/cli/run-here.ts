/** Runs a command of `parley` in this process, and returns its output. */
import * as commandFeatures from '../../src/cli/command-features.js';
import { runCommand, type CommandContext, type CommandDefinition } from '../../src/command/command.js';

/** @param name as in `parley NAME` */
export async function runHere(
  name: string,
  command: CommandDefinition,
  args: readonly string[],
  context: Omit<CommandContext, 'terminal' | 'features'>,
): Promise<{ code: number; out: string[]; error: string[] }> {
  const out: string[] = [];
  const error: string[] = [];
  const terminal = {
    out: (line: string) => void out.push(line),
    error: (line: string) => void error.push(line),
    progress: null,
  };
  return {
    code: await runCommand(name, command, args, { terminal, features: async () => commandFeatures, ...context }),
    out,
    error,
  };
}
