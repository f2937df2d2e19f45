/** A branch followed from an old position, in a log in which hundreds of branches become active again. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ConversationReads } from '../../src/conversation/reads.js';
import { createLogReads } from '../../src/database/reading/log-reads.js';
import { Feeds } from '../../src/events/feeds.js';
import { followHead, type HeadUpdates } from '../../src/events/head-updates.js';
import { openLog } from '../../src/events/open-log.js';
import { VIEWER, writeInOneChange } from '../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const BRANCHES = 700;
/** The number of activations. */
const ACTIVATIONS = 900;

const statements: string[] = [];
let database: TemporaryDatabase;
let feeds: Feeds;
/** The number of reads of branches' heads. */
let looks: number;
let reads: Pick<ConversationReads, 'headsAt'>;
/** The ids of the branches and of their heads, and the seq after which they become active. */
const branches: { id: string; headId: string }[] = [];
let middle: number;

beforeAll(async () => {
  database = await temporaryDatabase((text) => statements.push(text));
  feeds = new Feeds({ log: createLogReads(database.connection), sweepIntervalMs: 3_600_000, onError: () => {} });
  reads = {
    headsAt: (...asked) => {
      looks++;
      return database.reads.headsAt(...asked);
    },
  };
  await writeInOneChange(database.store, 'replayed', async (place, change, main) => {
    const root = await place(null, 'root');
    change.append(main, [root]);
    for (let n = 0; n < BRANCHES; n++) {
      const branch = change.createBranch(`b${n}`, root);
      const head = await place(root, `head ${n}`);
      change.append(branch, [head]);
      branches.push({ id: branch.id, headId: head.id });
    }
    middle = change.chat.version;
    for (let n = 0; n < ACTIVATIONS; n++) change.activate(change.branches.get(nth(n).id)!);
  });
});
afterAll(() => database.remove());
beforeEach(() => void (looks = 0));

/** In an order that differs from the log. */
const nth = (n: number) => branches[(n * 389) % BRANCHES]!;

async function follow(after: number | null, branchName: string | null = null): Promise<HeadUpdates> {
  const following = { startAt: null, position: 0, isOver: false };
  const stream = await openLog(feeds, VIEWER, { chatId: 'replayed', after }, following);
  statements.length = 0;
  const isResumed = after !== null;
  return followHead(createLogReads(database.connection), stream, { chatId: 'replayed', branchName, isResumed });
}

/** The next updates of the active branch: its id, and its old and new head. */
async function take(updates: HeadUpdates, count: number): Promise<(string | null)[][]> {
  const moves: (string | null)[][] = [];
  while (moves.length < count) {
    const { value } = await updates.next();
    const { branchId, previousHeadId, headId } = await value!.read({ reads });
    moves.push([branchId, previousHeadId, headId]);
  }
  return moves;
}

const expected = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, k) => {
    const n = from + k;
    return [nth(n).id, n === 0 ? 'root' : nth(n - 1).headId, nth(n).headId];
  });

it('the positions of branches are read once for many activations', async () => {
  const updates = await follow(middle);
  expect(await take(updates, ACTIVATIONS)).toEqual(expected(0, ACTIVATIONS));
  expect(looks).toBeLessThan(ACTIVATIONS / 50);
  await updates.return();
});

it('branches that became active long before have correct heads, from any position', async () => {
  const fromTheBeginning = await follow(0);
  // Main became active when the chat was created, and received its root.
  const main = expect.any(String) as string;
  expect(await take(fromTheBeginning, 2)).toEqual([
    [main, null, null],
    [main, null, 'root'],
  ]);
  expect(await take(fromTheBeginning, 400)).toEqual(expected(0, 400));
  await fromTheBeginning.return();
  const fromWithin = await follow(middle + 450);
  expect(await take(fromWithin, 100)).toEqual(expected(450, 550));
  await fromWithin.return();
});

it('no position is read before it is needed', async () => {
  const updates = await follow(middle + 10);
  const { value } = await updates.next();
  expect(looks).toBe(0);
  await value!.read({ reads });
  expect(looks).toBe(1);
  await updates.return();
});

it('the log is searched only for the past of a resumed position', async () => {
  const newest = middle + ACTIVATIONS;
  const counts: number[] = [];
  for (const [after, branchName] of [
    [null, null],
    [null, 'b0'],
    [newest, null],
    [newest - 1, null],
  ] as const) {
    const updates = await follow(after, branchName);
    counts.push(statements.length);
    await updates.return();
  }
  expect(counts).toEqual([1, 1, 1, 3]);
});
