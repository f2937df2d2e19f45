/** Compares operations on deep graphs with the same ones on small graphs. */
import { verifyDigests } from '../../src/features/maintenance/verify-command.js';
import { connect, openDatabase } from '../../src/database/opening/open.js';
import { measureForks } from './forks.js';
import { writeChain } from './measuring/fixture.js';
import { medians } from './measuring/measure.js';
import { ratioOf, type Ratio } from './measuring/report.js';
import { withServer } from './measuring/server.js';

const ROUNDS = 200;

/** A message of the first third and the head, with a page of the messages between them. */
const comparisonOf = (chatId: string, length: number) => `{ chat(id: "${chatId}") {
  compare(base: { messageId: "${chatId}-${Math.floor(length / 3)}" }, head: { branch: "main" }) {
    status commonAncestor { id } aheadBy behindBy ahead(first: 10) { edges { node { id } } } } } }`;

const SELECTION = 'edges { cursor node { name createdAt data depth } } pageInfo { hasPreviousPage startCursor }';

const branchPageOf = (chatId: string) =>
  `{ chat(id: "${chatId}") { activeBranch { messages(last: 100) { ${SELECTION} } } } }`;
const sharedPageOf = (token: string) => `{ shared(token: "${token}") { messages(last: 100) { ${SELECTION} } } }`;
const shareOf = (chatId: string) => `mutation { createShare(input: { chatId: "${chatId}" }) {
  ... on SharePayload { share { token } } ... on Error { message } } }`;

export async function* measureGraphs(database: string, url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  for (const length of [100, 100_000]) await writeChain(store, `chain${length}`, length);
  await store.close();
  yield await measureForks(database, url);
  yield await verifiedASecond(database, url);
  yield await sharedAgainstBranch(database, url);
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

/** The last page of a share and of its branch. */
async function sharedAgainstBranch(database: string, url: string): Promise<Ratio> {
  return withServer(url, async ({ post }) => {
    const [, token] = /"token":"([^"]+)"/.exec(await post(shareOf('chain100000'))) ?? [];
    if (token === undefined) throw new Error('the path cannot be shared');
    const times = await medians(
      { branch: () => post(branchPageOf('chain100000')), share: () => post(sharedPageOf(token)) },
      ROUNDS,
    );
    return ratioOf(`${database}: a share page against a branch page`, times.share, times.branch, 1.2);
  });
}

/** Messages that `npm run verify` verifies per second, the median of three runs. */
async function verifiedASecond(database: string, url: string): Promise<Ratio> {
  const { connection } = await connect(url, { migrate: false });
  const rates: number[] = [];
  for (let run = 0; run < 3; run++) {
    const start = performance.now();
    const { report, missing } = await verifyDigests(connection);
    if (!report.isSound || missing > 0) throw new Error('not every hash is correct');
    rates.push((report.rows / (performance.now() - start)) * 1_000);
  }
  await connection.close();
  const [lowest = 0, rate = 0, highest = 0] = rates.sort((a, b) => a - b);
  return {
    what: `${database}: npm run verify, messages per second`,
    ratio: rate,
    goal: 50_000,
    atLeast: true,
    unit: 'a second',
    detail: `${Math.round(lowest)} to ${Math.round(highest)}`,
  };
}
