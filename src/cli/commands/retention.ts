/** `parley retention`. */
import { readConfig, type Config } from '../../config.js';
import { DAY_MS } from '../../conversation/bounds.js';
import type { ExpiredChat } from '../../conversation/policies/retention.js';
import { driverMessage } from '../../database/opening/driver-error.js';
import { openFeatures } from '../../features/all-features.js';
import { connect, openDatabase } from '../../database/opening/open.js';
import { expiredChats } from '../../database/removing/retention.js';
import { EXIT, type CommandDefinition } from '../../command/command.js';
import { csvField } from '../csv-field.js';
import { existingDatabase } from '../../command/existing-database.js';

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
  run: async ({ dryRun = false, json = false }, { terminal, environment, withAudit }) => {
    const config = readConfig(environment);
    existingDatabase(config.databaseUrl);
    if (!json) terminal.out('chatId,userId,updatedAt,days');
    const print = ({ id, userId, updatedAt, days }: ExpiredChat) => {
      const row = { chatId: id, userId, updatedAt: new Date(updatedAt).toISOString(), days };
      terminal.out(json ? JSON.stringify(row) : Object.values(row).map(csvField).join(','));
    };
    const failed: Error[] = [];
    if (dryRun) await list(config, print);
    else {
      await withAudit(config, 'retention', terminal, (audit) =>
        remove(config, {
          note: (chat) => {
            audit?.done({ event: 'chat.deleted', chatIds: [chat.id], target: chat.userId });
            print(chat);
          },
          onFailure: (failure) => {
            failed.push(failure);
            terminal.error(`${failure.message}: ${driverMessage(failure.cause)}`);
          },
        }),
      );
    }
    return failed.length === 0 ? EXIT.done : EXIT.failed;
  },
};

async function list({ databaseUrl, retentionDays }: Config, note: (chat: ExpiredChat) => void): Promise<void> {
  const { connection } = await connect(databaseUrl, { migrate: false, isReadOnly: true });
  try {
    const options = { now: Date.now(), serverDays: daysOf(retentionDays) };
    for await (const chat of expiredChats(connection, options)) note(chat);
  } finally {
    await connection.close();
  }
}

interface Notes {
  note: (chat: ExpiredChat) => void;
  /** The failure of a chat, which stays. */
  onFailure: (failure: Error) => void;
}

async function remove(config: Config, { note, onFailure }: Notes): Promise<void> {
  const { store, removeExpiredChats } = await openDatabase({
    url: config.databaseUrl,
    hooksOf: openFeatures(config),
    recoveryMs: config.recoveryDays * DAY_MS,
    retentionDays: daysOf(config.retentionDays),
  });
  try {
    for await (const chat of removeExpiredChats({ onFailure })) note(chat);
  } finally {
    await store.close();
  }
}

/** The setting 0 keeps chats. */
function daysOf(setting: number): number | null {
  return setting === 0 ? null : setting;
}
