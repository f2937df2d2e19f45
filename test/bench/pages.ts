/** Long chains against short ones: the cost of a page does not depend on its position, and counting is free. */
import { openDatabase } from '../../src/database/opening/open.js';
import { CHAIN_FIELDS } from './chains.js';
import { writeBranches, writeChain } from './measuring/fixture.js';
import { medians } from './measuring/measure.js';
import { ratioOf, type Ratio } from './measuring/report.js';
import { withServer } from './measuring/server.js';

export const pageQuery = (chatId: string, args: string) =>
  `{ chat(id: "${chatId}") { activeBranch { messages(${args}) { edges { cursor node { ${CHAIN_FIELDS} } } } } } }`;

/** @param url of a missing SQLite file, which is created */
export async function* measurePages(url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url });
  for (const length of [100, 100_000]) await writeChain(store, `chain${length}`, length);
  await writeBranches(store, 'short', 100, 10);
  await writeBranches(store, 'long', 100, 1_000);
  await store.close();

  const cursor = (depth: number) => Buffer.from(`path:${depth}`).toString('base64url');
  const branches = (chat: string) =>
    `{ chat(id: "${chat}") { branches(first: 100) { edges { node { name messageCount } } } } }`;
  const { pages, counts } = await withServer(url, async ({ post }) => ({
    pages: await medians(
      {
        small: () => post(pageQuery('chain100', 'last: 50')),
        large: () => post(pageQuery('chain100000', 'last: 50')),
        middle: () => post(pageQuery('chain100000', `first: 50, after: "${cursor(50_000)}"`)),
        start: () => post(pageQuery('chain100000', 'first: 50')),
      },
      60,
    ),
    counts: await medians({ short: () => post(branches('short')), long: () => post(branches('long')) }, 60),
  }));
  yield ratioOf('messages(last: 50) of 100,000 against 100', pages.large, pages.small, 1.5);
  yield ratioOf('a page of 50 from the middle of 100,000', pages.middle, pages.small, 3);
  yield ratioOf('a page of 50 from the start of 100,000', pages.start, pages.small, 3);
  yield ratioOf('100 branches of 1,000 with messageCount against 10', counts.long, counts.short, 2);
}
