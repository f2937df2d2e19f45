/** `parley copy`: exits with 0 if both databases are equal afterwards, otherwise with 1. */
import { copyDatabase } from './copy-database.js';
import { openSides, type FilesUrls } from './side.js';
import { IN_MEMORY, parseDatabaseUrl } from '../../database/connection/database-url.js';
import { messageOf } from '../../system/message-of.js';
import { EXIT, withFromTo, type CommandContext, type CommandDefinition, type FromTo } from '../../command/command.js';
import { withProgress } from '../../command/progress-bar.js';

const DESCRIPTION =
  'Copies all chats of one database, and their files, into another of any kind, and compares the two. The first one is only read, and must ' +
  'be up to date (parley migrate). The second one is brought up to date, or created if it is a missing file. Run an ' +
  'interrupted copy again to continue it; a chat that exists already stays as it is.';

const URLS = { from: 'file:, postgresql:// or sqlserver://, as for DATABASE_URL', to: 'the same' };

const FILES = 'file:, database or s3://, as for FILES_URL; by default that of a server with this database';

export const command: CommandDefinition<FromTo & FilesUrls> = {
  define: (command) =>
    withFromTo(command.description(DESCRIPTION), 'URL', URLS)
      .option('--files-from <URL>', `the contents of files of the first: ${FILES}`)
      .option('--files-to <URL>', `the contents of files of the second: ${FILES}`),
  read: (options: FromTo & FilesUrls) => options,
  run: copy,
};

async function copy(
  { from, to, ...urls }: FromTo & FilesUrls,
  { terminal, features }: CommandContext,
): Promise<number> {
  checkUrl('--from', from);
  checkUrl('--to', to);
  const { copyFeatures, files } = await features();
  const sides = await openSides(from, to, files, urls);
  try {
    const report = await withProgress(terminal.progress, { unit: 'messages' }, (update) =>
      copyDatabase(sides, update, copyFeatures),
    );
    for (const line of report.summary()) terminal.out(line);
    for (const line of report.problems()) terminal.error(line);
    return report.isComplete ? EXIT.done : EXIT.failed;
  } finally {
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
