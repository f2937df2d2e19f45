/** Digests of messages that were written without one: by an older server, an import or a copy. */
import sql from 'sql-template-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChat } from '../../src/conversation/chats.js';
import { saveMessages } from '../../src/conversation/saving/save.js';
import { fillDigests } from '../../src/database/writing/fill-digests.js';
import { VIEWER } from '../support/chats/large-chats.js';
import { tableAt } from '../support/database/all-rows.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';
import { endingIn } from '../support/database/watched-connection.js';

let database: TemporaryDatabase;
beforeEach(async () => {
  database = await temporaryDatabase();
});
afterEach(() => database.remove());

/** More messages than two steps. */
const MESSAGES = 450;

async function fillChat(chatId: string, count: number): Promise<void> {
  const { store } = database;
  await createChat(store, VIEWER, { id: chatId });
  const messages = Array.from({ length: count }, (_, n) => ({
    id: `${chatId}${n}`,
    name: 'assistant',
    content: { data: { parts: [], metadata: { model: `m${n % 3}`, usage: { inputTokens: n } } } },
  }));
  await saveMessages(store, VIEWER, { chatId, messages });
  // A second branch, so that paths and the chat have different sums.
  const other = { id: `${chatId}-other`, name: 'user', content: { text: 'other' } };
  await saveMessages(store, VIEWER, { chatId, parentId: `${chatId}0`, messages: [other] });
  const merge = { ...other, id: `${chatId}-merge`, sourceIds: [`${chatId}2`, `${chatId}1`] };
  await saveMessages(store, VIEWER, { chatId, messages: [merge] });
}

/** As a server of an older version leaves messages. */
async function forget(fromSeq = 1, usage: string | null = null): Promise<void> {
  const [messages, chats] = [tableAt(database.url, 'messages'), tableAt(database.url, 'chats')];
  await database.connection.write('old', async (tx) => {
    await tx.run(sql`UPDATE ${messages} SET "contentHash" = NULL, "usage" = NULL WHERE "seq" >= ${fromSeq}`);
    await tx.run(sql`UPDATE ${chats} SET "usage" = ${usage}`);
  });
}

async function digests() {
  const [messages, chats] = [tableAt(database.url, 'messages'), tableAt(database.url, 'chats')];
  type Digest = { id: string; contentHash: string | null; usage: string | null };
  return database.connection.read(async (db) => ({
    messages: await db.rows<Digest>(
      sql`SELECT "id" AS "id", "contentHash" AS "contentHash", "usage" AS "usage" FROM ${messages} ORDER BY "id"`,
    ),
    chats: await db.rows<Omit<Digest, 'contentHash'>>(
      sql`SELECT "id" AS "id", "usage" AS "usage" FROM ${chats} ORDER BY "id"`,
    ),
  }));
}

describe('messages without a hash', () => {
  it('get the same hashes and sums as on saving, also after a process ended in between', async () => {
    await fillChat('a', MESSAGES);
    await fillChat('b', 3);
    const before = await digests();
    await forget();
    await expect(fillDigests(endingIn(database.connection, 2))).rejects.toThrow('ended');
    const filled = (await digests()).messages.filter(({ contentHash }) => contentHash !== null);
    expect(filled).toHaveLength(200);
    await fillDigests(database.connection);
    expect(await digests()).toEqual(before);
    await fillDigests(database.connection);
    expect(await digests()).toEqual(before);
  });

  it('get them once from any number of concurrent processes', async () => {
    await fillChat('a', MESSAGES);
    const before = await digests();
    await forget();
    await Promise.all(Array.from({ length: 3 }, () => fillDigests(database.connection)));
    expect(await digests()).toEqual(before);
  });

  it('give none to messages that are saved after them, until they are computed', async () => {
    await fillChat('a', 4);
    const { store } = database;
    await forget();
    await saveMessages(store, VIEWER, {
      chatId: 'a',
      parentId: 'a3',
      messages: [
        { id: 'new', name: 'assistant', content: { data: { metadata: { usage: { outputTokens: 5 } } } } },
        { id: 'newer', name: 'user', content: { text: 'x' } },
      ],
    });
    const found = (await digests()).messages.filter(({ id }) => id.startsWith('new'));
    expect(found.map(({ contentHash, usage }) => [contentHash, usage])).toEqual([
      [null, null],
      [null, null],
    ]);
    await fillDigests(database.connection, { ofChat: 'a' });
    const { messages, chats } = await digests();
    expect(messages.filter(({ contentHash, usage }) => contentHash === null || usage === null)).toEqual([]);
    expect(chats).toEqual([{ id: 'a', usage: expect.stringContaining('"outputTokens":5') as string }]);
  });

  it('that an older server saves later are found again, and are added to the sums once', async () => {
    const { store } = database;
    await fillChat('a', 4);
    await forget();
    await fillDigests(database.connection);
    const usage = (await store.chat('a'))!.usage;
    const content = { data: { metadata: { usage: { inputTokens: 7 } } } };
    await saveMessages(store, VIEWER, { chatId: 'a', messages: [{ id: 'late', name: 'assistant', content }] });
    const saved = await digests();
    // The older server appends after a computed message, and does not know the sums of the chat.
    await forget(7, usage);
    await fillDigests(database.connection);
    expect(await digests()).toEqual(saved);
  });

  it('in a chat that is being deleted are skipped', async () => {
    await fillChat('a', 3);
    await fillChat('b', 3);
    const before = await digests();
    await forget();
    const chats = tableAt(database.url, 'chats');
    await database.connection.write('a', (tx) => tx.run(sql`UPDATE ${chats} SET "userId" = '' WHERE "id" = 'a'`));
    await fillDigests(database.connection);
    const after = await digests();
    expect(after.messages.filter(({ contentHash }) => contentHash !== null)).toEqual(
      before.messages.filter(({ id }) => id.startsWith('b')),
    );
  });

  it('stay when the signal ends the call', async () => {
    await fillChat('a', 3);
    await forget();
    await fillDigests(database.connection, { signal: AbortSignal.abort() });
    expect((await digests()).messages.filter(({ contentHash }) => contentHash !== null)).toEqual([]);
  });
});
