/** Messages: by id, along the graph upwards and downwards, and a whole chat's in short. */
import { GoneError } from '../conversation/errors.js';
import type { Message } from '../conversation/model.js';
import { pageWindow, sliceOf } from '../conversation/paging.js';
import type { ConversationReads } from '../conversation/reads.js';
import type { Reader } from './reads.js';
import { byKey, inOrder, type Keyed } from './rows.js';

type MessageReads = Pick<
  ConversationReads,
  | 'messages'
  | 'messageCounts'
  | 'newestMessages'
  | 'messageRanges'
  | 'graphs'
  | 'childPages'
  | 'childCounts'
  | 'chains'
  | 'pathPages'
  | 'latestLeaves'
>;

/** No path is longer: a walk stops here should the data ever hold a circle. */
const MAX_DEPTH = 1_000_000;

export function messageReads({ sql, rows, messages: read }: Reader): MessageReads {
  const messages: MessageReads['messages'] = async (ids) =>
    inOrder(ids, await read(sql.messagesById(ids)), (message) => message.id);

  const childCounts: MessageReads['childCounts'] = async (parents) => {
    const counts = await rows<Total>(sql.childCounts(parents));
    return totals(counts, parents.length);
  };

  return {
    messages,
    childCounts,

    async messageCounts(chatIds) {
      return totals(await rows<Total>(sql.messageCounts(chatIds)), chatIds.length);
    },

    async newestMessages(chatIds) {
      const found = await read(sql.newestMessages(chatIds));
      return inOrder(chatIds, found, (message) => message.chatId);
    },

    async messageRanges(ranges) {
      return listsOf(await read(sql.messageRanges(ranges)), ranges, (message) => message.seq);
    },

    async graphs(chatIds) {
      return listsOf(sql.rows.graphNodes(await rows(sql.graphs(chatIds))), chatIds, (node) => node.seq);
    },

    async childPages(parents, page) {
      const counts = await childCounts(parents);
      const ranges = parents.map((parent, n) => {
        const total = counts[n] ?? 0;
        return { ...parent, ...pageWindow(page, total), total };
      });
      const lists = listsOf(await read(sql.children(ranges)), parents, (child) => child.siblingIndex);
      return ranges.map((range, n) => sliceOf(lists[n] ?? [], range, range.total));
    },

    async chains(messageIds, limit) {
      const length = Math.min(limit ?? MAX_DEPTH, MAX_DEPTH);
      const pieces = messageIds.map((messageId) => ({ messageId, toDepth: null, length }));
      return listsOf(await read(sql.paths(pieces)), messageIds, (message) => message.depth);
    },

    async pathPages(heads, page) {
      const pages = heads.map((head) => ({ ...head, ...pageWindow(page, head.messageCount) }));
      const pieces = pages.map(({ headMessageId, start, end }) => ({
        messageId: headMessageId ?? '',
        toDepth: end - 1,
        length: end - start,
      }));
      const lists = listsOf(await read(sql.paths(pieces)), heads, (message) => message.depth);
      return pages.map((each, n) => sliceOf(lists[n] ?? [], each, each.messageCount));
    },

    async latestLeaves(messageIds) {
      const leafIds = await latestLeafIds(messageIds);
      const unique = [...new Set(leafIds)];
      const leaves = inOrder(
        leafIds,
        (await messages(unique)).filter((leaf) => leaf !== null),
        (leaf) => leaf.id,
      );
      return leaves.map((leaf, n): Message => {
        if (leaf === null) throw new GoneError(`Message "${messageIds[n]}"`);
        return leaf;
      });
    },
  };

  async function latestLeafIds(messageIds: readonly string[]): Promise<string[]> {
    const [only] = messageIds;
    if (messageIds.length === 1 && only !== undefined) {
      const leaf = await rows<{ id: string }>(sql.latestLeaf(only));
      return leaf.map((row) => row.id);
    }
    const steps = await rows<{ id: string; next: string | null }>(sql.newestChildren(messageIds));
    const next = new Map(steps.map((step) => [step.id, step.next]));
    return messageIds.map((id) => followToEnd(next, id));
  }
}

/** One list a key, in an order. The databases answer in it or against it, and a sort finds that at once. */
function listsOf<R extends Keyed>(rows: readonly R[], keys: readonly unknown[], orderOf: (row: R) => number): R[][] {
  return byKey(rows, keys, (row) => row).map((list) => list.sort((a, b) => orderOf(a) - orderOf(b)));
}

/** Where a walk ends. Shortens the steps it took, so that walks that meet are walked once. */
function followToEnd(next: Map<string, string | null>, id: string): string {
  let end = id;
  for (let step = next.get(end); step != null; step = next.get(end)) end = step;
  for (let at = id; at !== end;) {
    const step = next.get(at) ?? end;
    next.set(at, end);
    at = step;
  }
  return end;
}

interface Total extends Keyed {
  total: number | bigint;
}

function totals(rows: readonly Total[], length: number): number[] {
  const counts = new Array<number>(length).fill(0);
  for (const row of rows) counts[Number(row.n)] = Number(row.total);
  return counts;
}
