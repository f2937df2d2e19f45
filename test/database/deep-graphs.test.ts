import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteChat } from '../../src/features/deletion/delete-chat.js';
import { createCheckpoint } from '../../src/conversation/branches/checkpoints.js';
import type { Branch, Message } from '../../src/conversation/model.js';
import type { ConversationReads } from '../../src/conversation/reads.js';
import { rewind, switchToSibling } from '../../src/conversation/branches/rewind.js';
import { saveMessages } from '../../src/conversation/saving/save.js';
import type { ConversationStore, LockedChat } from '../../src/conversation/store.js';
import { VIEWER, writeBranches, writeChain, writeChildren } from '../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';
import { databaseKind } from '../support/database/database-kind.js';
import { isThorough, runs } from '../support/effort.js';

// Saves over a socket: deep enough to see costs that grow with depth.
const DEPTH = isThorough ? 100_000 : databaseKind === 'sqlite' ? 10_000 : 5_000;
const MIDDLE = DEPTH / 2;
const CHILDREN = 10_000;
const BRANCHES = 1_000;
const TRUNK = 10;

let database: TemporaryDatabase;
let store: ConversationStore;
let reads: ConversationReads;
beforeAll(async () => {
  database = await temporaryDatabase();
  ({ store, reads } = database);
  await writeChain(store, 'deep', DEPTH);
  await writeChildren(store, 'wide', CHILDREN);
  await writeBranches(store, 'bushy', BRANCHES, TRUNK);
});
afterAll(() => database.remove());

const ALL = { first: null, last: null, after: null, before: null };
const deep = (depth: number) => `deep-${depth}`;
const idsOf = (messages: readonly { id: string }[]) => messages.map((message) => message.id);
const namesOf = (branches: readonly Branch[]) => branches.map((branch) => branch.name);
const range = (start: number, end: number) => Array.from({ length: end - start }, (_, n) => start + n);
const inDeep = (depth: number) => ({ id: deep(depth), chatId: 'deep', depth });

/** The chat as rules read it. */
function locked<T>(chatId: string, look: (chat: LockedChat) => Promise<T>): Promise<T | null> {
  return store.change(chatId, VIEWER.userId, look);
}

async function main(chatId: string): Promise<Branch> {
  const [branch] = await reads.branchesByName([{ chatId, name: 'main' }]);
  return branch!;
}

describe(`a chain of ${DEPTH} messages`, () => {
  it('is read whole, root first', async () => {
    const [chain] = await reads.chains([{ chatId: 'deep', messageId: deep(DEPTH - 1), length: DEPTH }]);
    expect(chain).toHaveLength(DEPTH);
    const misplaced = chain!.findIndex((message, depth) => {
      const parentId = depth === 0 ? null : deep(depth - 1);
      return message.id !== deep(depth) || message.depth !== depth || message.parentId !== parentId;
    });
    expect(misplaced).toBe(-1);
    expect(chain![MIDDLE]!.data).toBe(JSON.stringify(deep(MIDDLE)));
  });

  it('is read with a limit from any of its messages', async () => {
    const heads = [DEPTH - 1, MIDDLE, 2, 0].map(deep);
    const chains = await reads.chains(heads.map((messageId) => ({ chatId: 'deep', messageId, length: 4 })));
    expect(chains.map(idsOf)).toEqual([
      range(DEPTH - 4, DEPTH).map(deep),
      range(MIDDLE - 3, MIDDLE + 1).map(deep),
      range(0, 3).map(deep),
      [deep(0)],
    ]);
    const none = heads.map((messageId) => ({ chatId: 'deep', messageId, length: 0 }));
    expect(await reads.chains(none)).toEqual([[], [], [], []]);
  });

  it('is read in pages from either end, from the middle and between cursors', async () => {
    const head = await main('deep');
    expect(head).toMatchObject({ headMessageId: deep(DEPTH - 1), messageCount: DEPTH });
    const page = async (asked: Partial<typeof ALL> | { [K in keyof typeof ALL]?: number }) => {
      const [slice] = await reads.pathPages([head], { ...ALL, ...asked });
      return { ...slice!, rows: slice!.rows.map((message) => message.depth) };
    };
    const whole = { totalCount: DEPTH };
    const both = { ...whole, hasPreviousPage: true, hasNextPage: true };
    expect(await page({ first: 3 })).toEqual({ ...both, rows: [0, 1, 2], hasPreviousPage: false });
    expect(await page({ last: 3 })).toEqual({ ...both, rows: range(DEPTH - 3, DEPTH), hasNextPage: false });
    expect(await page({ first: 2, after: MIDDLE - 1 })).toEqual({ ...both, rows: [MIDDLE, MIDDLE + 1] });
    expect(await page({ last: 2, before: MIDDLE })).toEqual({ ...both, rows: [MIDDLE - 2, MIDDLE - 1] });
    expect(await page({ after: MIDDLE, before: MIDDLE + 4 })).toEqual({ ...both, rows: range(MIDDLE + 1, MIDDLE + 4) });
    expect(await page({ first: 5, after: DEPTH - 1 })).toEqual({ ...both, rows: [], hasNextPage: false });
  });

  it('finds the place of a message from messages below it only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(DEPTH - 1), fc.nat(DEPTH - 1)), { minLength: 1 }), async (pairs) => {
        const keys = pairs.map(([head, depth]) => ({ chatId: 'deep', headId: deep(head), messageId: deep(depth) }));
        expect(await reads.placesOnPaths(keys)).toEqual(pairs.map(([head, depth]) => (depth <= head ? depth : null)));
      }),
      { numRuns: runs(10) },
    );
    const places = await reads.placesOnPaths([
      { chatId: 'wide', headId: 'wide-7', messageId: 'wide-7' },
      { chatId: 'wide', headId: 'wide-7', messageId: 'wide-8' },
      { chatId: 'deep', headId: 'wide-7', messageId: 'wide-7' },
      { chatId: 'deep', headId: deep(DEPTH - 1), messageId: 'wide-7' },
      { chatId: 'deep', headId: deep(DEPTH - 1), messageId: 'nothing' },
      { chatId: 'deep', headId: 'nothing', messageId: deep(1) },
    ]);
    expect(places).toEqual([1, null, null, null, null, null]);
  });

  it('finds ancestors at any depth, and none below the message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(DEPTH - 1), fc.nat(DEPTH - 1), async (one, other) => {
        const [upper, lower] = [Math.min(one, other), Math.max(one, other)];
        const ancestor = await locked('deep', (chat) => chat.ancestorAt(deep(lower), upper));
        expect(ancestor?.id).toBe(deep(upper));
      }),
      { numRuns: runs(50) },
    );
    expect(await locked('deep', (chat) => chat.ancestorAt(deep(10), 11))).toBeNull();
  });

  it('is searched up to its root for a missing assistant message', async () => {
    expect(await locked('deep', (chat) => chat.lastAssistant(deep(DEPTH - 1)))).toBeNull();
  });

  it('has one leaf, which is found from one message and from a thousand', async () => {
    const leaf = deep(DEPTH - 1);
    expect(idsOf(await reads.latestLeaves([inDeep(0)]))).toEqual([leaf]);
    expect(idsOf(await reads.latestLeaves([inDeep(DEPTH - 1)]))).toEqual([leaf]);
    const along = range(0, 1000).map((n) => inDeep((n * DEPTH) / 1000));
    expect(idsOf(await reads.latestLeaves(along))).toEqual(along.map(() => leaf));
    expect((await locked('deep', (chat) => chat.latestLeaf(deep(0))))?.id).toBe(leaf);
  });

  it('has its branch found at the root, in the middle and at the leaf', async () => {
    const through = await reads.branchesThrough([0, MIDDLE, DEPTH - 1].map(inDeep));
    expect(through.map(namesOf)).toEqual([['main'], ['main'], ['main']]);
  });

  it('is counted, outlined and read by seq', async () => {
    expect(await reads.messageCounts(['deep', 'nowhere'])).toEqual([DEPTH, 0]);
    const [newest, none] = await reads.newestMessages(['deep', 'nowhere']);
    expect([newest?.id, none]).toEqual([deep(DEPTH - 1), null]);
    const [graph] = await reads.graphs(['deep']);
    expect(graph).toHaveLength(DEPTH);
    expect(graph!.findIndex((node, depth) => node.id !== deep(depth) || node.preview !== deep(depth))).toBe(-1);
    const ranges = [
      { chatId: 'deep', firstSeq: MIDDLE + 1, lastSeq: MIDDLE + 3 },
      { chatId: 'deep', firstSeq: 5, lastSeq: 4 },
      { chatId: 'deep', firstSeq: 1, lastSeq: DEPTH },
    ];
    const [some, empty, whole] = await reads.messageRanges(ranges);
    expect(idsOf(some!)).toEqual(range(MIDDLE, MIDDLE + 3).map(deep));
    expect(empty).toEqual([]);
    expect(whole!.findIndex((message, n) => message.seq !== n + 1)).toBe(-1);
    expect(whole).toHaveLength(DEPTH);
  });

  it('has a log that is read in pages', async () => {
    const saves = DEPTH / 500;
    const [end] = await reads.eventPages(['deep'], { ...ALL, last: 1 });
    expect(end).toMatchObject({ totalCount: saves + 3, hasPreviousPage: true, hasNextPage: false });
    expect(end!.rows[0]).toMatchObject({ type: 'BranchHeadMoved', payload: { headId: deep(DEPTH - 1) } });
    const place = saves / 2;
    const [middle] = await reads.eventPages(['deep'], { ...ALL, first: 2, after: place });
    expect(middle!.rows.map((event) => event.seq)).toEqual([place + 1, place + 2]);
    const [before] = await reads.eventPages(['deep'], { ...ALL, last: 2, before: place });
    expect(before!.rows.map((event) => event.seq)).toEqual([place - 2, place - 1]);
  });
});

describe(`${CHILDREN} children of one message`, () => {
  const root = { chatId: 'wide', parentId: 'wide-root' };
  const inWide = (id: string) => ({ chatId: 'wide', id });

  it('are counted, and read in pages from either end and between cursors', async () => {
    expect(await reads.childCounts([root, { chatId: 'wide', parentId: null }])).toEqual([CHILDREN, 1]);
    const page = async (asked: { [K in keyof typeof ALL]?: number }) => {
      const [slice] = await reads.childPages([root], { ...ALL, ...asked });
      return idsOf(slice!.rows);
    };
    expect(await page({ first: 2 })).toEqual(['wide-0', 'wide-1']);
    expect(await page({ last: 2 })).toEqual(['wide-9998', 'wide-9999']);
    expect(await page({ first: 2, after: 5000 })).toEqual(['wide-5001', 'wide-5002']);
    expect(await page({ last: 2, before: 5000 })).toEqual(['wide-4998', 'wide-4999']);
    expect(await page({})).toEqual(range(0, CHILDREN).map((n) => `wide-${n}`));
  });

  it('have the newest child as the leaf of their parent, and each itself as its leaf', async () => {
    expect(idsOf(await reads.latestLeaves(['wide-root', 'wide-7'].map(inWide)))).toEqual(['wide-9999', 'wide-7']);
    const all = range(0, CHILDREN).map((n) => `wide-${n}`);
    expect(idsOf(await reads.latestLeaves(all.map(inWide)))).toEqual(all);
  });

  it('are read by id, with their paths, all at once', async () => {
    const all = range(0, CHILDREN).map((n) => `wide-${n}`);
    expect((await reads.messages(all.map(inWide))).map((message) => message?.id)).toEqual(all);
    const chains = await reads.chains(all.map((messageId) => ({ chatId: 'wide', messageId, length: 2 })));
    expect(chains.map((chain) => idsOf(chain).join())).toEqual(all.map((id) => `wide-root,${id}`));
  });

  it('get a branch when a client switches to one of them', async () => {
    const { branch } = await switchToSibling(store, VIEWER, { chatId: 'wide', messageId: 'wide-5' });
    expect(branch).toMatchObject({ name: 'main-v2', headMessageId: 'wide-5', messageCount: 2, isActive: true });
  });
});

describe(`${BRANCHES} branches`, () => {
  const inTrunk = (depth: number) => ({ id: `bushy-${depth}`, chatId: 'bushy', depth });
  const ownOf = (n: number) => ({ id: `bushy-b${n}`, chatId: 'bushy', depth: (n % TRUNK) + 1 });
  /** The branches that leave the trunk at a depth or below it. */
  const leavingFrom = (depth: number) => range(0, BRANCHES).filter((n) => n % TRUNK >= depth);
  const named = (numbers: readonly number[]) => numbers.map((n) => `b${n}`);

  it('contain the shared messages before their fork, and their own messages', async () => {
    const messages = [inTrunk(0), inTrunk(5), inTrunk(9), ownOf(0), ownOf(999)];
    const through = (await reads.branchesThrough(messages)).map(namesOf);
    expect(through).toEqual([
      ['main', ...named(leavingFrom(0))],
      ['main', ...named(leavingFrom(5))],
      ['main', ...named(leavingFrom(9))],
      ['b0'],
      ['b999'],
    ]);
  });

  it('are found at every message at once', async () => {
    const all = [...range(0, TRUNK).map(inTrunk), ...range(0, BRANCHES).map(ownOf)];
    const through = await reads.branchesThrough(all);
    expect(through.map(namesOf)).toEqual([
      ...range(0, TRUNK).map((depth) => ['main', ...named(leavingFrom(depth))]),
      ...range(0, BRANCHES).map((n) => [`b${n}`]),
    ]);
    const at = await reads.branchesAt(all, 2 * BRANCHES);
    expect(at.map((branches) => namesOf(branches).join())).toEqual([
      ...range(0, TRUNK - 1).map(() => ''),
      'main',
      ...named(range(0, BRANCHES)),
    ]);
  });

  it('are listed by name, each with its length', async () => {
    const keys = named(range(0, BRANCHES)).map((name) => ({ chatId: 'bushy', name }));
    const found = await reads.branchesByName([...keys, { chatId: 'deep', name: 'b0' }]);
    expect(found.at(-1)).toBeNull();
    expect(found.slice(0, -1).map((branch) => branch?.messageCount)).toEqual(
      range(0, BRANCHES).map((n) => ownOf(n).depth + 1),
    );
  });
});

describe('changing large graphs', () => {
  it(`rewinds to the middle of ${DEPTH} messages, and continues there`, async () => {
    const { branch } = await rewind(store, VIEWER, { chatId: 'deep', messageId: deep(MIDDLE) });
    expect(branch).toMatchObject({ name: 'main-v2', isActive: true, messageCount: MIDDLE + 1 });
    const messages = [{ id: 'aside', name: 'user', content: { data: 'aside' } }];
    const saved = await saveMessages(store, VIEWER, { chatId: 'deep', messages });
    expect(saved.messages[0]).toMatchObject<Partial<Message>>({
      parentId: deep(MIDDLE),
      depth: MIDDLE + 1,
      siblingIndex: 1,
      seq: DEPTH + 1,
    });
    expect(idsOf(await reads.latestLeaves([inDeep(0), inDeep(MIDDLE + 1)]))).toEqual(['aside', deep(DEPTH - 1)]);
    const through = await reads.branchesThrough([inDeep(MIDDLE), inDeep(MIDDLE + 1)]);
    expect(through.map(namesOf)).toEqual([['main', 'main-v2'], ['main']]);
    const [tail] = await reads.chains([{ chatId: 'deep', messageId: 'aside', length: 3 }]);
    expect(idsOf(tail!)).toEqual([deep(MIDDLE - 1), deep(MIDDLE), 'aside']);
  });

  it('removes whole chats of any depth and width', async () => {
    await createCheckpoint(store, VIEWER, { chatId: 'deep', name: 'x' });
    for (const chatId of ['deep', 'wide', 'bushy']) await deleteChat(store, VIEWER, chatId);
    expect(Object.values(await database.allRows()).flat()).toEqual([]);
  });
});
