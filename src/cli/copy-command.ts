/** `npm run copy -- --from URL --to URL`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { copyDatabase } from '../database/copy/copy-database.js';
import { openSides } from '../database/copy/open-sides.js';
import { IN_MEMORY, parseDatabaseUrl } from '../database/opening/database-url.js';
import { messageOf } from '../message-of.js';
import { EXIT, runCommand } from './command.js';
import { showProgress } from './progress-bar.js';
import type { Terminal } from './terminal.js';

const USAGE = `Usage: npm run copy -- --from URL --to URL

Copies all chats of one database into another of any kind, and compares the two. The first is only read; it has to be up
to date (npm run migrate). The other is brought up to date, and made where it is a file that is not there. One that was
interrupted goes on when it is run again; a chat that is there already stays as it is.

  --from URL  file:, postgresql:// or sqlserver://, as for DATABASE_URL
  --to URL    the same
  --help      shows this`;

/** @returns the exit code: 0 both databases hold the same, 1 they do not, 2 wrong usage */
export function runCopy(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readArguments,
    run: (request) => copy(request, terminal),
  });
}

type Request = { from: string; to: string };

function readArguments(args: string[]): Request | 'help' {
  try {
    const { values } = parseArgs({
      args,
      options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) return 'help';
    const { from, to } = values;
    if (from !== undefined && to !== undefined) return { from, to };
  } catch {
    // What parseArgs says has the argument in it, and that may be a URL with a password.
  }
  throw new Error('It takes --from and --to, each with a URL, and nothing else.');
}

async function copy({ from, to }: Request, terminal: Terminal): Promise<number> {
  checkUrl('--from', from);
  checkUrl('--to', to);
  const sides = await openSides(from, to);
  const progress = showProgress(terminal.progress, { unit: 'messages' });
  try {
    const report = await copyDatabase(sides, progress.update);
    progress.stop();
    for (const line of report.summary()) terminal.out(line);
    for (const line of report.problems()) terminal.error(line);
    return report.isComplete ? EXIT.done : EXIT.failed;
  } finally {
    progress.stop();
    await sides.close();
  }
}

/** @throws Error that names the option */
function checkUrl(option: string, url: string): void {
  try {
    parseDatabaseUrl(url);
  } catch (error) {
    throw new Error(`${option} ${messageOf(error)}`, { cause: error });
  }
  if (url === IN_MEMORY)
    throw new Error(`${option} must not be :memory:, which is gone with the process that opens it`);
}
