/** `parley erase-user`. */
import { readConfig, type Config } from '../../config.js';
import { checkName } from '../../conversation/bounds.js';
import { IN_MEMORY } from '../../database/connection/database-url.js';
import { withHooks } from '../../database/change-hooks.js';
import { connect } from '../../database/opening/open.js';
import { EXIT, type CommandDefinition, type CommandFeatures } from '../../command/command.js';
import { existingDatabase } from '../../command/existing-database.js';
import { eraseUser, type Erasure } from './erasure.js';

const DESCRIPTION =
  'Removes everything of a user from the database of DATABASE_URL: all chats of the user, and the id wherever else it is ' +
  'stored. Servers may run meanwhile. Run an interrupted erasure again to continue it.';

export const command: CommandDefinition<{ userId: string }> = {
  define: (command) => command.description(DESCRIPTION).requiredOption('--user <ID>', 'the user to erase'),
  read: ({ user }: { user: string }) => ({ userId: checkName(user, '--user') }),
  run: async ({ userId }, { terminal, environment, features }) => {
    const config = readConfig(environment);
    const { withAudit, openFeatures } = await features();
    const lines = await withAudit(config, 'erase-user', terminal, async (audit) => {
      const erased = await erase(userId, config, openFeatures(config));
      audit?.done({ event: 'user.erased', chatIds: [], target: userId });
      return erased;
    });
    for (const line of lines) terminal.out(line);
    return EXIT.done;
  },
};

async function erase(
  userId: string,
  { databaseUrl: url }: Config,
  hooksOf: ReturnType<CommandFeatures['openFeatures']>,
): Promise<string[]> {
  if (url === IN_MEMORY) return [`${IN_MEMORY} exists only in the process that opens it: there is nothing to erase.`];
  const shown = existingDatabase(url);
  const { connection } = await connect(url, { migrate: false, finish: false });
  try {
    return summaryOf(userId, shown, await eraseUser(withHooks(connection, hooksOf(connection)), userId));
  } finally {
    await connection.close();
  }
}

function summaryOf(
  userId: string,
  shown: string,
  { removed, deletedChats, events, messages, drafts, isInLog }: Erasure,
): string[] {
  const tables = Object.entries(removed);
  const rest = isInLog
    ? [`Removed data may still be in ${shown}-wal, which another process reads: run this again later.`]
    : [];
  if (tables.every(([, count]) => count === 0) && deletedChats + events + messages + drafts === 0) {
    return [`No data of the user "${userId}" is stored in ${shown}.`, ...rest];
  }
  const row = (name: string, count: string) => `  ${name.padEnd(15)}${count.padStart(12)}`;
  return [
    `The user "${userId}" was erased from ${shown}.`,
    row('rows', 'removed'),
    ...tables.map(([table, count]) => row(table, String(count))),
    row('rows', 'anonymized'),
    row('deleted_chats', String(deletedChats)),
    row('messages', String(messages)),
    row('chat_events', String(events)),
    row('drafts', String(drafts)),
    ...rest,
  ];
}
