/** A word that every message has, searched in a chat of ten: alone in its database, and among 100,000 others. */
import { createChat } from '../src/conversation/chats.js';
import { openDatabase } from '../src/database/opening/open.js';
import { VIEWER, writeChain } from './fixture.js';
import { medians } from './measure.js';
import { ratioOf, type Ratio } from './report.js';
import { withServer } from './server.js';

const QUERY = '{ chat(id: "searched") { search(query: "sentence") { edges { node { rank snippet } } } } }';

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
