/** Search: a word of many messages against a word of few, and a small chat among 100,000 other messages. */
import { createChat } from '../../src/conversation/chats.js';
import { openDatabase } from '../../src/database/opening/open.js';
import { COMMON_WORD, RARE_WORD, VIEWER, writeChain } from './measuring/fixture.js';
import { medians } from './measuring/measure.js';
import { ratioOf, type Ratio } from './measuring/report.js';
import { withServer } from './measuring/server.js';

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
    medians({ rare: () => post(query(RARE_WORD)), common: () => post(query(COMMON_WORD)) }, 30),
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
