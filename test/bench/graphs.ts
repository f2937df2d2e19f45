/** Compares operations on deep graphs with the same ones on small graphs. */
import { openDatabase } from '../../src/database/opening/open.js';
import { writeChain } from './measuring/fixture.js';
import { medians } from './measuring/measure.js';
import { ratioOf, type Ratio } from './measuring/report.js';
import { withServer } from './measuring/server.js';

const ROUNDS = 200;

/** A message of the first third and the head, with a page of the messages between them. */
const comparisonOf = (chatId: string, length: number) => `{ chat(id: "${chatId}") {
  compare(base: { messageId: "${chatId}-${Math.floor(length / 3)}" }, head: { branch: "main" }) {
    status commonAncestor { id } aheadBy behindBy ahead(first: 10) { edges { node { id } } } } } }`;

export async function* measureGraphs(database: string, url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  for (const length of [100, 100_000]) await writeChain(store, `chain${length}`, length);
  await store.close();
  yield await withServer(url, async ({ post }) => {
    const times = await medians(
      {
        small: () => post(comparisonOf('chain100', 100)),
        deep: () => post(comparisonOf('chain100000', 100_000)),
      },
      ROUNDS,
    );
    return ratioOf(`${database}: Chat.compare at depth 100,000 against 100`, times.deep, times.small, 1.5);
  });
}
