/** Messages by id, along the graph in both directions, and the graph of a whole chat. */
import { scopeKey, type ChatScoped } from '../../conversation/chat-scoped.js';
import { DeletedError } from '../../conversation/errors.js';
import type { Message } from '../../conversation/model.js';
import { outlineOf, type Span } from '../../conversation/outline.js';
import { MAX_LIST_LENGTH, pageWindow, seqWindow, sliceOf } from '../../conversation/paging.js';
import type { ChainKey, ConversationReads, SummaryKey } from '../../conversation/reads.js';
import { BYTES_PER_MESSAGE } from '../../limits/content-budget.js';
import type { PathPiece } from '../dialects/requests.js';
import { findDamagedLink } from './branches/damaged-links.js';
import { leafBelow, leavesBelow } from './branches/leaves-below.js';
import { MESSAGES_PER_STEP, pathsInSteps } from './branches/paths-in-steps.js';
import type { Reader } from './reader.js';
import { byKey, inOrder, type Keyed } from './rows.js';

const BYTES_PER_RUN = 64;

export function messageReads(reader: Reader) {
  const { sql, rows, json, content, messages: read } = reader;
  const messages: ConversationReads['messages'] = async (keys) => {
    const found = await read((inlineBytes) => sql.messages(keys, inlineBytes), keys.length);
    return inOrder(keys.map(scopeKey), found, scopeKey);
  };

  const placesOnPaths: ConversationReads['placesOnPaths'] = async (keys) => {
    const found = byKey(await rows<PlaceRow>(sql.placesOnPaths(keys), keys.length), keys, (row) => row);
    return Promise.all(
      keys.map(async ({ chatId, headId, messageId }, n) => {
        const places = found[n] ?? [];
        const place = places.find(({ depth, toDepth }) => depth === toDepth);
        const [head] = places;
        if (place === undefined && head !== undefined && head.depth > head.toDepth) {
          await findDamagedLink(reader, { chatId, id: headId }, head.toDepth);
        }
        return place?.id === messageId ? place.depth : null;
      }),
    );
  };

  const childCounts: ConversationReads['childCounts'] = async (parents) => {
    const counts = await rows<Total>(sql.childCounts(parents), parents.length);
    return totals(counts, parents.length);
  };

  const messageCounts: ConversationReads['messageCounts'] = async (chatIds) =>
    totals(await rows<Total>(sql.messageCounts(chatIds), chatIds.length), chatIds.length);

  const messageRanges: ConversationReads['messageRanges'] = async (ranges) => {
    const count = sum(ranges.map(({ firstSeq, lastSeq }) => lastSeq - firstSeq + 1));
    const found = await read((inlineBytes) => sql.messageRanges(ranges, inlineBytes), count, true);
    return listsOf(found, ranges, (message) => message.seq);
  };

  return {
    messages,
    childCounts,

    async messagesById(ids) {
      const found = await read((inlineBytes) => sql.messagesById(ids, inlineBytes), ids.length);
      return inOrder(ids, found, (message) => message.id);
    },

    async messageColumn(keys, name) {
      const found = await rows<ChatScoped & { value: string | null }>(sql.messageColumn(keys, name), keys.length);
      content?.take(sum(found.map(({ value }) => value?.length ?? 0)));
      return inOrder(keys.map(scopeKey), found, scopeKey).map((message) => message?.value ?? null);
    },

    messageCounts,

    async newestMessages(chatIds) {
      const found = await read((inlineBytes) => sql.newestMessages(chatIds, inlineBytes), chatIds.length);
      return inOrder(chatIds, found, (message) => message.chatId);
    },

    messageRanges,

    async messagePages(chatIds, page) {
      const counts = await messageCounts(chatIds);
      const pages = chatIds.map((chatId, n) => {
        const total = counts[n] ?? 0;
        return { chatId, total, ...seqWindow(page, total) };
      });
      const ranges = pages.map(({ chatId, start, end }) => ({ chatId, firstSeq: start + 1, lastSeq: end }));
      const lists = await messageRanges(ranges);
      return pages.map((each, n) => sliceOf(lists[n] ?? [], each, each.total));
    },

    async graphs(chatIds) {
      return listsOf(sql.rows.graphNodes(await rows(sql.graphs(chatIds), Infinity)), chatIds, (node) => node.seq);
    },

    async outlines(chatIds) {
      // One more than the limit shows that it is exceeded.
      const atMost = content === undefined ? MAX_LIST_LENGTH : Math.ceil(content.limit / BYTES_PER_RUN) + 1;
      const starts = sql.rows.runStarts(await rows(sql.runStarts(chatIds, atMost), Infinity));
      content?.take(BYTES_PER_RUN * starts.length);
      return byKey(starts, chatIds, (start) => start).map(outlineOf);
    },

    async segments(keys) {
      const ends = keys.map(({ chatId, spans }) => ({ chatId, seqs: spans.flatMap(endsOf) }));
      const count = sum(ends.map(({ seqs }) => seqs.length));
      content?.take(BYTES_PER_MESSAGE * count);
      const nodes = listsOf(sql.rows.graphNodes(await rows(sql.nodesAt(ends), count)), keys, (node) => node.seq);
      return keys.map(({ spans }, n) => {
        const bySeq = new Map(nodes[n]?.map((node) => [node.seq, node]));
        return spans.flatMap(({ firstSeq, lastSeq, sourceSeqs = [] }) => {
          const [first, last] = [bySeq.get(firstSeq), bySeq.get(lastSeq)];
          // Each source ends a segment.
          const sourceIds = sourceSeqs.flatMap((seq) => bySeq.get(seq)?.id ?? []);
          return first && last ? [{ first, last, sourceIds }] : [];
        });
      });
    },

    segmentsJson: (key, members) =>
      json(({ segments }) => segments?.(key, members) ?? null, sum(key.spans.map((span) => endsOf(span).length))),

    graphJson: ({ chatId, length }, members) => json(({ graph }) => graph(chatId, members), length),

    async childPages(parents, page) {
      const counts = await childCounts(parents);
      const ranges = parents.map((parent, n) => {
        const total = counts[n] ?? 0;
        return { ...parent, ...pageWindow(page, total), total };
      });
      const count = sum(ranges.map(({ start, end }) => end - start));
      const found = await read((inlineBytes) => sql.children(ranges, inlineBytes), count, true);
      const lists = listsOf(found, parents, (child) => child.siblingIndex);
      return ranges.map((range, n) => sliceOf(lists[n] ?? [], range, range.total));
    },

    async children(keys) {
      const ranges = keys.map(({ siblingIndex, ...parent }) => ({
        ...parent,
        start: siblingIndex,
        end: siblingIndex + 1,
      }));
      const found = await read((inlineBytes) => sql.children(ranges, inlineBytes), keys.length);
      return byKey(found, keys, (child) => child).map(([child]) => child ?? null);
    },

    async chains(ends) {
      const [end] = ends;
      const path = ends.length === 1 && end !== undefined ? await pathOfRuns(end) : null;
      if (path !== null) return [path];
      const pieces = ends.map(({ chatId, messageId, length }) => ({ chatId, messageId, toDepth: null, length }));
      return listsOf(await readPaths(pieces), ends, (message) => message.depth);
    },

    chainJson: (end, members) => json(({ path }, maxBytes) => path(end, members, maxBytes), end.length),

    async pathPages(heads, page) {
      const pages = heads.map((head) => {
        const { fromDepth = 0, messageCount } = head;
        const inList = (depth: number | null) => (depth === null ? null : depth - fromDepth);
        const total = messageCount - fromDepth;
        const asked = { ...page, after: inList(page.after), before: inList(page.before) };
        return { ...head, fromDepth, total, ...pageWindow(asked, total) };
      });
      const pieces = pages.map(({ chatId, headMessageId, fromDepth, start, end }) => ({
        chatId,
        messageId: headMessageId ?? '',
        toDepth: fromDepth + end - 1,
        length: end - start,
      }));
      const lists = listsOf(await readPaths(pieces), heads, (message) => message.depth);
      return pages.map((each, n) => sliceOf(lists[n] ?? [], each, each.total));
    },

    async commonAncestors(pairs) {
      const found = await read((inlineBytes) => sql.commonAncestors(pairs, inlineBytes), pairs.length, true);
      const ends = byKey(found, pairs, (row) => row);
      return Promise.all(
        pairs.map(async ({ chatId, baseId, headId }, n) => {
          const [end, otherRoot] = ends[n] ?? [];
          if (end !== undefined) return otherRoot === undefined ? end : null;
          await findDamagedLink(reader, { chatId, id: baseId }, 0);
          await findDamagedLink(reader, { chatId, id: headId }, 0);
          return null;
        }),
      );
    },

    placesOnPaths,

    newestSummaries: (keys) => newestSummaries(reader, { messages, placesOnPaths }, keys),

    async latestLeaves(asked, walked) {
      const [only] = asked;
      const isOne = asked.length === 1 && only !== undefined;
      const leafIds = isOne ? [await leafBelow({ sql, rows }, only)] : await leavesBelow(reader, asked, walked);
      const ends = asked.map(({ chatId }, n) => ({ chatId, id: leafIds[n] ?? '' }));
      const unique = [...new Map(ends.map((end) => [scopeKey(end), end])).values()];
      const leaves = (await messages(unique)).filter((leaf) => leaf !== null);
      return inOrder(ends.map(scopeKey), leaves, scopeKey).map((leaf, n): Message => {
        if (leaf === null) throw new DeletedError(`Message "${asked[n]?.id}"`);
        return leaf;
      });
    },
  } satisfies Partial<ConversationReads>;

  /** Null if it has to be read from parent to parent. */
  async function pathOfRuns(end: ChainKey): Promise<Message[] | null> {
    const { pathOfRuns: statement } = sql;
    if (statement === null || end.length > MESSAGES_PER_STEP) return null;
    const found = await read((inlineBytes) => statement(end, inlineBytes), end.length, true);
    const path = found.sort((one, other) => one.seq - other.seq);
    const follow = path.every(({ parentId }, n) => n === 0 || parentId === path[n - 1]?.id);
    return path.length === end.length && follow ? path : null;
  }

  function readPaths(pieces: readonly PathPiece[]): Promise<(Message & Keyed)[]> {
    return pathsInSteps(reader, pieces, (some, count) =>
      read((inlineBytes) => sql.paths(some, inlineBytes), count, true),
    );
  }
}

const endsOf = ({ firstSeq, lastSeq }: Span) => (firstSeq === lastSeq ? [firstSeq] : [firstSeq, lastSeq]);

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** One ordered list per key. Databases return rows in that order or its reverse, which sorts fast. */
function listsOf<R extends Keyed>(rows: readonly R[], keys: readonly unknown[], orderOf: (row: R) => number): R[][] {
  return byKey(rows, keys, (row) => row).map((list) => list.sort((a, b) => orderOf(a) - orderOf(b)));
}

/** See Dialect.placesOnPaths. */
interface PlaceRow extends Keyed {
  id: string;
  depth: number;
  toDepth: number;
}

interface Total extends Keyed {
  /** Null for none. */
  total: number | null;
}

function totals(rows: readonly Total[], length: number): number[] {
  const counts = new Array<number>(length).fill(0);
  for (const row of rows) counts[row.n] = row.total ?? 0;
  return counts;
}

/** Summaries of a chat that are compared with a path at once; the first comparison has one. */
const MAX_CANDIDATES = 512;

interface SummaryRow extends Keyed {
  id: string;
  seq: number;
}

/** See ConversationReads.newestSummaries. Summaries on other branches are newer at times: these are read on, in growing steps. */
async function newestSummaries(
  { sql, rows }: Reader,
  { messages, placesOnPaths }: Pick<ConversationReads, 'messages' | 'placesOnPaths'>,
  keys: readonly SummaryKey[],
): ReturnType<ConversationReads['newestSummaries']> {
  const found = keys.map(({ chatId }) => ({ chatId, id: '' }));
  let open = keys.map((key, index) => ({ ...key, index }));
  for (let count = 1; open.length > 0; count = Math.min(8 * count, MAX_CANDIDATES)) {
    const lists = byKey(
      await rows<SummaryRow>(sql.newestSummaries(open, count), open.length * count),
      open,
      (row) => row,
    );
    const candidates = open.flatMap(({ chatId, headId, index }, n) =>
      (lists[n] ?? []).map(({ id, seq }) => ({ chatId, headId, messageId: id, seq, index })),
    );
    const places = candidates.length === 0 ? [] : await placesOnPaths(candidates);
    const onPath = candidates.filter((_, n) => places[n] != null).sort((a, b) => a.seq - b.seq);
    for (const { chatId, messageId, index } of onPath) found[index] = { chatId, id: messageId };
    open = open.flatMap((key, n) => {
      const list = lists[n] ?? [];
      if (found[key.index]?.id !== '' || list.length < count) return [];
      return [{ ...key, beforeSeq: Math.min(...list.map(({ seq }) => seq)) }];
    });
  }
  return messages(found);
}
