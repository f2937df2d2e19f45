/**
 * Search: a word of many messages against a word of few, in a chat and among a million messages, and a small chat among
 * 100,000 other messages.
 */
import pg from 'pg';
import { createChat } from '../../../src/conversation/chats.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { COMMON_WORD, RARE_WORD, VIEWER, writeChain } from '../measuring/fixture.js';
import { medians } from '../measuring/measure.js';
import { ratioOf, type Ratio } from '../measuring/report.js';
import { withServer } from '../measuring/server.js';

const searchQuery = (chatId: string, word: string, first = 20) =>
  `{ chat(id: "${chatId}") { search(query: "${word}", first: ${first}) { edges { node { rank snippet } } } } }`;

/** A word in every message of a chat of 10,000, against a word in ten of them. @param url of any database */
export async function* measureCommonWord(database: string, url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  await writeChain(store, 'spoken', 10_000);
  await store.close();
  // Both queries return the same number of hits.
  const query = (word: string) => searchQuery('spoken', word, 10);
  const times = await withServer(url, ({ post }) =>
    medians(
      {
        rare: () => post(query(RARE_WORD)),
        common: () => post(query(COMMON_WORD)),
        chat: () => post('{ chat(id: "spoken") { id } }'),
      },
      30,
    ),
  );
  yield ratioOf(
    `${database}: a word of ten of 10,000, searched, against { chat(id) { id } }`,
    times.rare,
    times.chat,
    1.5,
  );
  yield ratioOf(`${database}: a word of all of 10,000, searched, against a word of ten`, times.common, times.rare, 4);
}

/** A word of every message, searched in a chat of ten: alone in its database, and among 100,000 others. */
export async function* measureSearch(database: string, urls: { alone: string; among: string }): AsyncGenerator<Ratio> {
  for (const [name, url] of Object.entries(urls)) {
    const { store } = await openDatabase({ url, migrate: true });
    if (name === 'among') for (let n = 0; n < 100; n++) await writeChain(store, `other${n}`, 1_000);
    await writeChain(store, 'searched', 10);
    await createChat(store, VIEWER, { id: 'empty' });
    await store.close();
  }
  const query = searchQuery('searched', COMMON_WORD);
  const times = await withServer(urls.alone, (alone) =>
    withServer(urls.among, (among) => medians({ alone: () => alone.post(query), among: () => among.post(query) }, 60)),
  );
  yield ratioOf(
    `${database}: a word of every message, searched in a chat of 10 among 100,000`,
    times.among,
    times.alone,
    3,
  );
}

/** Messages of the largest search. */
const MESSAGES = 1_000_000;
const PER_CHAT = 1_000;

/**
 * A word of every message of a million, searched in all chats, against a word of ten of them. @param url of PostgreSQL
 */
export async function* measureMillion(url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  await writeChain(store, 'c0', PER_CHAT);
  await store.close();
  await copyChat(url, MESSAGES / PER_CHAT - 1);
  const query = (word: string) =>
    `{ search(query: "${word}", first: 10) { edges { node { rank snippet message { id } } } } }`;
  const times = await withServer(url, ({ post }) =>
    medians({ rare: () => post(query(RARE_WORD)), common: () => post(query(COMMON_WORD)) }, 30),
  );
  yield ratioOf(
    'PostgreSQL: a word of all of 1,000,000, searched in all chats, against a word of ten',
    times.common,
    times.rare,
    4,
  );
}

/** Copies a chat and its texts in the database. Only the first ten chats have the rare word. */
async function copyChat(url: string, copies: number): Promise<void> {
  const client = new pg.Client(postgresqlSettings(parseDatabaseUrl(url) as ServerUrl));
  await client.connect();
  await client.query(`
    SET session_replication_role = replica;
    INSERT INTO chats ("id", "userId", "title", "metadata", "createdAt", "updatedAt", "version")
      SELECT 'c' || n, "userId", "title", "metadata", "createdAt", "updatedAt", "version" FROM chats, generate_series(1, ${copies}) n;
    CREATE TEMPORARY TABLE original AS SELECT * FROM messages;
    INSERT INTO messages ("id", "chatId", "parentId", "name", "type", "createdAt", "depth", "seq", "siblingIndex", "jumpId", "preview", "data", "createdBy")
      SELECT n || "id", 'c' || n, n || "parentId", "name", "type", "createdAt", "depth", "seq", "siblingIndex", n || "jumpId", "preview", "data", "createdBy"
      FROM generate_series(1, ${copies}) n, original;
    DROP INDEX message_texts_vector_idx;
    CREATE TEMPORARY TABLE original_texts AS SELECT * FROM message_texts;
    INSERT INTO message_texts ("messageId", "chatId", "name", "createdAt", "seq", "length", "terms")
      SELECT n || "messageId", 'c' || n, "name", "createdAt", "seq", "length",
        CASE WHEN n < 10 THEN "terms" ELSE replace("terms", ' ${RARE_WORD} ', '') END
      FROM generate_series(1, ${copies}) n, original_texts ORDER BY n, "id";
    CREATE INDEX message_texts_vector_idx ON message_texts USING GIN ("vector") WITH (gin_pending_list_limit = 256)`);
  await client.end();
}
