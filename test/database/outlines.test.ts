/** Chat.outline is any graph with its runs merged. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withinBounds } from '../../src/database/connection/within-bounds.js';
import { createChat } from '../../src/conversation/chats.js';
import { TooLargeError } from '../../src/conversation/errors.js';
import type { PlacedMessage as Placed } from '../../src/conversation/model.js';
import type { Segment } from '../../src/conversation/outline.js';
import type { GraphRow } from '../../src/conversation/model.js';
import type { ConversationReads } from '../../src/conversation/reads.js';
import { createReads } from '../../src/database/reading/reads.js';
import { BYTES_PER_MESSAGE, ContentBudget } from '../../src/limits/content-budget.js';
import { isThorough, runs } from '../support/effort.js';
import { VIEWER, writeBranches, writeChain, writeChildren, writeInOneChange } from '../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const LENGTH = isThorough ? 100_000 : 5_000;
const FORKS = isThorough ? 10_000 : 500;

let database: TemporaryDatabase;
beforeAll(async () => void (database = await temporaryDatabase()));
afterAll(() => database.remove());

/** The expected outline by definition: from each first message down to the first fork. */
function drawnTogether(nodes: readonly GraphRow[], sources: ReadonlyMap<string, readonly string[]>): Segment[] {
  const childrenOf = new Map<string | null, GraphRow[]>();
  for (const node of nodes) childrenOf.set(node.parentId, [...(childrenOf.get(node.parentId) ?? []), node]);
  const all = new Set([...sources.values()].flat());
  const isFirst = ({ id, parentId }: GraphRow) =>
    parentId === null || childrenOf.get(parentId)!.length > 1 || sources.has(id) || all.has(parentId);
  return nodes.filter(isFirst).map((first) => {
    let last = first;
    for (
      let below = childrenOf.get(last.id);
      below !== undefined && !isFirst(below[0]!);
      below = childrenOf.get(last.id)
    ) {
      last = below[0]!;
    }
    return { first, last, sourceIds: sources.get(first.id) ?? [] };
  });
}

async function segmentsOf(reads: ConversationReads, chatIds: readonly string[]): Promise<Segment[][]> {
  const outlines = await reads.outlines(chatIds);
  return reads.segments(chatIds.map((chatId, n) => ({ chatId, spans: outlines[n]! })));
}

async function expectOutline(...chatIds: string[]): Promise<Segment[][]> {
  const [outlines, graphs] = await Promise.all([segmentsOf(database.reads, chatIds), database.reads.graphs(chatIds)]);
  const sources = await database.reads.sourcesOfChats(chatIds);
  const byId = (nodes: readonly GraphRow[], n: number) =>
    new Map(nodes.flatMap(({ id, seq }) => (sources[n]!.has(seq) ? [[id, sources[n]!.get(seq)!] as const] : [])));
  expect(outlines).toEqual(graphs.map((nodes, n) => drawnTogether(nodes, byId(nodes, n))));
  return outlines;
}

/** The distance of a message to its parent, or 0 for none, and its distances to sources. */
type Drawn = readonly [parent: number, sources?: readonly number[]];

const graph: fc.Arbitrary<Drawn[]> = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(1) },
      { weight: 3, arbitrary: fc.integer({ min: 1, max: 12 }) },
      { weight: 1, arbitrary: fc.constant(0) },
    ),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 4 }) },
    ),
  ),
  { maxLength: 40 },
);

let written = 0;
async function writeGraph(drawn: readonly Drawn[]): Promise<string> {
  const chatId = `any-${written++}`;
  await writeInOneChange(database.store, chatId, async (place, change, main) => {
    const placed: Placed[] = [];
    for (const [n, [distance, toSources = []]] of drawn.entries()) {
      const message = await place(placed[distance === 0 ? -1 : n - distance] ?? null, `${chatId}-${n}`);
      placed.push({ ...message, sources: toSources.flatMap((back) => placed[n - back] ?? []) });
    }
    if (placed.length > 0) change.append(main, placed);
  });
  return chatId;
}

it('the outlines of any graphs are correct, for one or several at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(graph, { minLength: 1, maxLength: 3 }), async (graphs) => {
      const chatIds: string[] = [];
      for (const drawn of graphs) chatIds.push(await writeGraph(drawn));
      await expectOutline(...chatIds);
    }),
    { numRuns: runs(200) },
  );
});

it('is empty for an empty or missing chat', async () => {
  await createChat(database.store, VIEWER, { id: 'empty' });
  expect(await segmentsOf(database.reads, ['empty', 'nowhere'])).toEqual([[], []]);
});

it(`is one segment of a chain of ${LENGTH} messages, and two of two that were written in turn`, async () => {
  await writeChain(database.store, 'chain', LENGTH);
  await writeInOneChange(database.store, 'turns', async (place, change, main) => {
    const [ones, others]: [Placed[], Placed[]] = [[], []];
    for (let n = 0; n < 500; n++) {
      ones.push(await place(ones.at(-1) ?? null, `one-${n}`));
      others.push(await place(others.at(-1) ?? null, `other-${n}`));
    }
    change.append(
      main,
      [...ones, ...others].sort((a, b) => a.seq - b.seq),
    );
  });
  const [chain, turns] = await expectOutline('chain', 'turns');
  expect(chain).toHaveLength(1);
  expect(turns).toHaveLength(2);
});

it(`has ${2 * FORKS} segments of a trunk with ${FORKS} forks, and ${FORKS + 1} of a message with as many children`, async () => {
  await writeBranches(database.store, 'comb', FORKS, FORKS);
  await writeChildren(database.store, 'fan', FORKS);
  const [comb, fan] = await expectOutline('comb', 'fan');
  // The last of the trunk has one child, and is no fork.
  expect(comb).toHaveLength(2 * FORKS - 1);
  expect(fan).toHaveLength(FORKS + 1);
});

it('is refused when it is read from more messages than the operation may read', async () => {
  const chatId = await writeGraph([0, 1, 2, 1, 2, 1, 2, 1].map((distance) => [distance]));
  const within = (bytes: number) =>
    createReads(withinBounds(database.connection, { content: new ContentBudget(bytes) }));
  // All messages are at an end of their segments; three do not immediately follow their parents.
  const needed = 8 * BYTES_PER_MESSAGE + 64 * 4;
  expect((await segmentsOf(within(needed), [chatId]))[0]).toHaveLength(7);
  for (const bytes of [needed - 1, 64 * 4 - 1, 1]) {
    await expect(segmentsOf(within(bytes), [chatId])).rejects.toThrow(TooLargeError);
  }
});
