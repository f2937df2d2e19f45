/** `npm run erase-user -- --user ID`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { checkName } from '../conversation/bounds.js';
import { IN_MEMORY } from '../database/opening/database-url.js';
import type { Erasure } from '../conversation/erasure.js';
import { eraseUser } from '../database/removing/erasure.js';
import { connect } from '../database/opening/open.js';
import { EXIT, runCommand } from './command.js';
import { existingDatabase } from './existing-database.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run erase-user -- --user ID

Removes everything of a user from the database of DATABASE_URL: all chats of theirs, and their id wherever else it stands.
Servers may go on meanwhile. One that was interrupted goes on when it is run again.

  --user ID  whom to erase
  --help     shows this`;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 there is nothing of the user any more, 1 it could not be done, 2 wrong usage
 */
export function runEraseUser(
  args: readonly string[],
  terminal: Lines,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readArguments,
    run: async ({ userId }) => {
      for (const line of await erase(userId, readConfig(environment).databaseUrl)) terminal.out(line);
      return EXIT.done;
    },
  });
}

function readArguments(args: string[]): { userId: string } | 'help' {
  const { values } = parseArgs({
    args,
    options: { user: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) return 'help';
  if (values.user === undefined) throw new Error('It takes --user with the id of a user.');
  return { userId: checkName(values.user, '--user') };
}

/** @returns what was done, in lines */
async function erase(userId: string, url: string): Promise<string[]> {
  if (url === IN_MEMORY) return [`${IN_MEMORY} is gone with the process that opens it: there is nothing to erase.`];
  const shown = existingDatabase(url);
  const { connection } = await connect(url, { migrate: false, finish: false });
  try {
    return summaryOf(userId, shown, await eraseUser(connection, userId));
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
    ? [`What was removed may still be in ${shown}-wal, which somebody reads: run this again later.`]
    : [];
  if (tables.every(([, count]) => count === 0) && deletedChats + events + messages + drafts === 0) {
    return [`There is nothing of the user "${userId}" in ${shown}.`, ...rest];
  }
  const row = (name: string, count: string) => `  ${name.padEnd(14)}${count.padStart(13)}`;
  return [
    `The user "${userId}" was erased from ${shown}.`,
    row('rows', 'removed'),
    ...tables.map(([table, count]) => row(table, String(count))),
    row('rows', 'made nameless'),
    row('deleted_chats', String(deletedChats)),
    row('messages', String(messages)),
    row('chat_events', String(events)),
    row('drafts', String(drafts)),
    ...rest,
  ];
}
