/** Writes of the search index and of the words of titles, with the locks and sequences of PostgreSQL. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { connect } from '../../../src/database/opening/open.js';
import { indexTitles } from '../../../src/database/writing/index-titles.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

let database: TemporaryDatabase;
beforeEach(async () => {
  database = await temporaryDatabase();
});
afterEach(() => database.remove());

it('a sequence that lags behind the search texts skips no text', async () => {
  const { store, url, allRows } = database;
  await createChat(store, VIEWER, { id: 'c' });
  const save = () =>
    saveMessages(store, VIEWER, { chatId: 'c', messages: [{ name: 'user', content: { text: 'found' } }] });
  await save();
  await (await rawDatabase(url)).run(`SELECT setval('message_texts_id_seq', 1, false)`);
  await save();
  const { messages, texts } = await allRows();
  expect([messages.length, texts.length]).toEqual([2, 2]);
});

it('the words of a locked chat are written later, and do not delay those of others', async () => {
  const { connection, store, url } = database;
  for (const id of ['a', 'b']) await createChat(store, VIEWER, { id, title: `tram ${id}` });
  const other = await connect(url, { migrate: false });
  const wordsOf = async (id: string) => {
    const raw = await rawDatabase(url);
    return (await raw.rows(`SELECT 1 FROM chat_title_words WHERE "chatId" = '${id}'`)).length > 0;
  };
  await other.connection.write('a', async (tx) => {
    await tx.rows(connection.sql.lockChat('a'));
    await indexTitles(connection);
    expect([await wordsOf('a'), await wordsOf('b')]).toEqual([false, true]);
  });
  await indexTitles(connection);
  expect(await wordsOf('a')).toBe(true);
  await other.connection.close();
});
