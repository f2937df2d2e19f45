/** forkChat against the bare INSERT … SELECT of its rows. */
import type { Chat } from '../../src/conversation/model.js';
import sql, { raw } from 'sql-template-tag';
import { deleteChat } from '../../src/features/deletion/delete-chat.js';
import { forkChat } from '../../src/features/forks/fork-chat.js';
import { columnNames } from '../../src/conversation/tables.js';
import type { Connection } from '../../src/database/connection/connection.js';
import { connect } from '../../src/database/opening/open.js';
import { DatabaseStore } from '../../src/database/store/database-store.js';
import { VIEWER, writeChain } from './measuring/fixture.js';
import { median, timeOf } from './measuring/measure.js';
import { ratioOf, type Ratio } from './measuring/report.js';

const LENGTH = 10_000;
const ROUNDS = 5;

export async function measureForks(database: string, url: string): Promise<Ratio> {
  const { connection } = await connect(url, { migrate: true });
  const store = new DatabaseStore(connection);
  await writeChain(store, 'forked', LENGTH);
  const ways = {
    fork: () => forkChat(store, VIEWER, { chatId: 'forked', id: 'fork' }),
    bare: () => copyRows(connection, 'forked', 'bare'),
  };
  const times: Record<keyof typeof ways, number[]> = { fork: [], bare: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of ['fork', 'bare'] as const) {
      const time = await timeOf(ways[name]);
      if (round > 0) times[name].push(time);
      await deleteChat(store, VIEWER, name);
    }
  }
  await store.close();
  return ratioOf(
    `${database}: forkChat of 10,000 against the bare INSERT … SELECT of its rows`,
    median(times.fork),
    median(times.bare),
    3,
  );
}

/** One statement per table with rows, in one transaction, with ids that need no lookup. */
async function copyRows({ sql: statements, write, read }: Connection, from: string, to: string): Promise<void> {
  const copied = (table: 'messages' | 'message_texts', ids: readonly string[]) => {
    const names = columnNames(table);
    const values = names.map((name) => {
      if (name === 'chatId') return `'${to}'`;
      return ids.includes(name) ? `'${to}-' || "${name}"` : `"${name}"`;
    });
    const columns = names.map((name) => `"${name}"`).join(', ');
    return sql`INSERT INTO ${raw(table)} (${raw(columns)}) SELECT ${raw(values.join(', '))} FROM ${raw(table)} WHERE "chatId" = ${from}`;
  };
  const [chat] = await read((db) => db.rows<Chat>(statements.chatsById([from])));
  if (chat === undefined) throw new Error(`chat "${from}" is missing`);
  await write(to, async (tx) => {
    await tx.run(statements.insertRows('chats', [{ ...chat, id: to }]));
    await tx.run(copied('messages', ['id', 'parentId', 'jumpId']));
    await tx.run(copied('message_texts', ['messageId']));
  });
}
