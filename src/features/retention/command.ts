/** `parley retention`. */
import { readConfig, type Config } from '../../config.js';
import { driverMessage } from '../../database/dialects/driver-error.js';
import { connect, openDatabase } from '../../database/opening/open.js';
import { EXIT, type CommandDefinition, type CommandFeatures } from '../../command/command.js';
import { csvField } from '../../command/csv-field.js';
import { existingDatabase } from '../../command/existing-database.js';
import { expiredChats, removeExpired } from './expired-chats.js';
import { daysOf, UserRetentions, type ExpiredChat } from './retention.js';

const DESCRIPTION =
  'Deletes the chats of the database of DATABASE_URL whose retention has ended, by RETENTION_DAYS and by the settings of users, as ' +
  'servers do, and prints them as CSV. Chats under a legal hold stay. Servers may run meanwhile.';

interface Options {
  dryRun?: boolean;
  json?: boolean;
}

export const command: CommandDefinition<Options> = {
  define: (command) =>
    command
      .description(DESCRIPTION)
      .option('--dry-run', 'prints the chats, and deletes none')
      .option('--json', 'prints JSON, an object a line, instead of CSV'),
  read: (options: Options) => options,
  run: async ({ dryRun = false, json = false }, { terminal, environment, features }) => {
    const config = readConfig(environment);
    const { withAudit, openFeatures } = await features();
    existingDatabase(config.databaseUrl);
    if (!json) terminal.out('chatId,userId,updatedAt,days');
    const print = ({ id, userId, updatedAt, days }: ExpiredChat) => {
      const row = { chatId: id, userId, updatedAt: new Date(updatedAt).toISOString(), days };
      terminal.out(json ? JSON.stringify(row) : Object.values(row).map(csvField).join(','));
    };
    const failed: Error[] = [];
    const onFailure = (failure: Error) => {
      failed.push(failure);
      terminal.error(`${failure.message}: ${driverMessage(failure.cause)}`);
    };
    if (dryRun) for await (const chat of list(config)) print(chat);
    else {
      await withAudit(config, 'retention', terminal, async (audit) => {
        for await (const chat of remove(config, openFeatures(config), onFailure)) {
          audit?.done({ event: 'chat.deleted', chatIds: [chat.id], target: chat.userId });
          print(chat);
        }
      });
    }
    return failed.length === 0 ? EXIT.done : EXIT.failed;
  },
};

async function* list({ databaseUrl, retentionDays }: Config): AsyncGenerator<ExpiredChat> {
  const { connection } = await connect(databaseUrl, { migrate: false, isReadOnly: true });
  try {
    yield* expiredChats(new UserRetentions(connection, daysOf(retentionDays)), Date.now());
  } finally {
    await connection.close();
  }
}

/** @param onFailure receives the failure of a chat, which stays */
async function* remove(
  { databaseUrl: url, retentionDays }: Config,
  hooksOf: ReturnType<CommandFeatures['openFeatures']>,
  onFailure: (failure: Error) => void,
): AsyncGenerator<ExpiredChat> {
  const opened: UserRetentions[] = [];
  const { store } = await openDatabase({
    url,
    hooksOf: (connection) => {
      opened.push(new UserRetentions(connection, daysOf(retentionDays)));
      return hooksOf(connection);
    },
  });
  try {
    for (const retentions of opened) yield* removeExpired(retentions, store, { onFailure });
  } finally {
    await store.close();
  }
}
