/**
 * A word that every message has, searched in a chat of ten: alone in its database, and among 100,000 others. And in a chat
 * of 10,000, against a word that ten of them have.
 */
import { createChat } from '../src/conversation/chats.js';
import { saveMessages } from '../src/conversation/save.js';
import { openDatabase } from '../src/database/opening/open.js';
import { VIEWER, writeChain } from './fixture.js';
import { medians } from './measure.js';
import { ratioOf, type Ratio } from './report.js';
import { withServer } from './server.js';

const HITS = 'edges { node { rank snippet } }';
const QUERY = `{ chat(id: "searched") { search(query: "sentence") { ${HITS} } } }`;

/** @param urls of two databases that are not made yet */
export async function* measureSearch(database: string, urls: { alone: string; among: string }): AsyncGenerator<Ratio> {
  for (const [name, url] of Object.entries(urls)) {
    const { store } = await openDatabase({ url, migrate: true });
    if (name === 'among') for (let n = 0; n < 100; n++) await writeChain(store, `other${n}`, 1_000);
    await writeChain(store, 'searched', 10);
    await createChat(store, VIEWER, { id: 'empty' });
    await store.close();
  }
  let times = { alone: 0, among: 0 };
  await withServer(urls.alone, (alone) =>
    withServer(urls.among, async (among) => {
      times = await medians({ alone: () => alone(QUERY), among: () => among(QUERY) }, 60);
    }),
  );
  yield ratioOf(
    `${database}: a word of every message, searched in a chat of 10 among 100,000`,
    times.among,
    times.alone,
    3,
  );
}

/** @param url of a database that is not made yet */
export async function* measureCommonWord(database: string, url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  await writeChain(store, 'searched', 9_990);
  const messages = Array.from({ length: 10 }, () => ({ name: 'user', content: { text: 'A sentence with a needle.' } }));
  await saveMessages(store, VIEWER, { chatId: 'searched', messages });
  await store.close();
  // As many hits are shown of both.
  const query = (word: string) => `{ chat(id: "searched") { search(query: "${word}", first: 10) { ${HITS} } } }`;
  let times = { common: 0, rare: 0 };
  await withServer(url, async (post) => {
    times = await medians({ common: () => post(query('sentence')), rare: () => post(query('needle')) }, 20);
  });
  const what = `${database}: a word of every message in a chat of 10,000, against one of ten`;
  yield ratioOf(what, times.common, times.rare, 4);
}
