/** What it costs to save, in small databases and large ones, and by many clients at once. */
import { join } from 'node:path';
import { createChat } from '../src/conversation/chats.js';
import { openDatabase } from '../src/database/opening/open.js';
import { VIEWER, writeChain } from './fixture.js';
import { median, medians } from './measure.js';
import type { Ratio } from './report.js';
import { saveTurn, withServer, type Post } from './server.js';

/** The time of a save into a small chat, in a SQLite file of 1,000 messages and in one of 100,000, in turns. */
export async function* measureSaves(folder: string): AsyncGenerator<Ratio> {
  const databases = { small: 1_000, large: 100_000 };
  for (const [name, size] of Object.entries(databases)) {
    const { store } = await openDatabase({ url: `file:${join(folder, `${name}.db`)}` });
    for (let n = 0; n < size / 1_000; n++) await writeChain(store, `filler${n}`, 1_000);
    await writeChain(store, 'chat', 1);
    await store.close();
  }
  let times = { small: 0, large: 0 };
  await withServer(`file:${join(folder, 'small.db')}`, (small) =>
    withServer(`file:${join(folder, 'large.db')}`, async (large) => {
      times = await medians({ small: () => saveTurn(small, 'chat'), large: () => saveTurn(large, 'chat') }, 100);
    }),
  );
  yield {
    what: 'saves a second at 100,000 messages against 1,000',
    ratio: times.small / times.large,
    goal: 0.8,
    atLeast: true,
    detail: `${(1000 / times.large).toFixed(0)} against ${(1000 / times.small).toFixed(0)} a second, one after the other`,
  };
}

const CLIENTS = 16;
const SAVES_PER_TURN = 160;
const TURNS = 9;

/** How many saves a second 16 clients on 16 chats make together, and how many one client on one chat, in turns. */
export async function* measureConcurrentSaves(url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url });
  for (let n = 0; n < CLIENTS; n++) await createChat(store, VIEWER, { id: `busy${n}` });
  await store.close();
  const rates: { one: number[]; many: number[] } = { one: [], many: [] };
  await withServer(url, async (post) => {
    for (let turn = -1; turn < TURNS; turn++) {
      const [one, many] = [await rateOf(post, 1), await rateOf(post, CLIENTS)];
      // The first turn warms up.
      if (turn < 0) continue;
      rates.one.push(one);
      rates.many.push(many);
    }
  });
  const [one, many] = [median(rates.one), median(rates.many)];
  yield {
    what: 'PostgreSQL: saves by 16 clients on 16 chats against one on one',
    ratio: many / one,
    goal: 4,
    atLeast: true,
    detail: `${many.toFixed(0)} against ${one.toFixed(0)} a second`,
  };
}

/** Saves a second. */
async function rateOf(post: Post, clients: number): Promise<number> {
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let n = 0; n < SAVES_PER_TURN / clients; n++) await saveTurn(post, `busy${client}`);
    }),
  );
  return (1000 * SAVES_PER_TURN) / (performance.now() - begin);
}
