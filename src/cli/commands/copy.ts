/** `parley copy`: exits with 0 when both databases hold the same afterwards, otherwise with 1. */
import { copyDatabase } from '../../database/copy/copy-database.js';
import { openSides } from '../../database/copy/open-sides.js';
import { IN_MEMORY, parseDatabaseUrl } from '../../database/opening/database-url.js';
import { messageOf } from '../../message-of.js';
import { EXIT, type CommandDefinition } from '../command.js';
import { showProgress } from '../progress-bar.js';
import type { Terminal } from '../terminal.js';

const DESCRIPTION =
  'Copies all chats of one database into another of any kind, and compares the two. The first one is only read, and must ' +
  'be up to date (parley migrate). The second one is brought up to date, or created if it is a missing file. Run an ' +
  'interrupted copy again to continue it; a chat that exists already stays as it is.';

interface Request {
  from: string;
  to: string;
}

export const command: CommandDefinition<Request> = {
  define: (command) =>
    command
      .description(DESCRIPTION)
      .requiredOption('--from <URL>', 'file:, postgresql:// or sqlserver://, as for DATABASE_URL')
      .requiredOption('--to <URL>', 'the same'),
  read: (options: Request) => options,
  run: (request, { terminal }) => copy(request, terminal),
};

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
    throw new Error(`${option} must not be :memory:, which exists only in the process that opens it`);
}
