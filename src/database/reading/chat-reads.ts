/** Chats and their logs. */
import type { Chat } from '../../conversation/model.js';
import { pageWindow, sliceOf } from '../../conversation/paging.js';
import type { ChatFilter, ChatPosition, ConversationReads } from '../../conversation/reads.js';
import type { ChatRange } from '../dialects/dialect.js';
import type { Reader } from './reader.js';
import { byKey, inOrder, toActiveBranch, toEvent, type ChatWithBranchRow, type EventRow, type Keyed } from './rows.js';

type Order = 'newest' | 'oldest';
type ChatReads = Pick<ConversationReads, 'chats' | 'chatPage' | 'chatCount' | 'eventPages'>;

export function chatReads({ sql, rows, chat: readChat, chats: readChats, chatsAtOnce }: Reader): ChatReads {
  async function inSteps<T>(ids: readonly string[], read: (ids: readonly string[]) => Promise<T[]>): Promise<T[]> {
    const found: T[] = [];
    for (let n = 0; n < ids.length; n += chatsAtOnce) found.push(...(await read(ids.slice(n, n + chatsAtOnce))));
    return found;
  }

  /** The first of a list, so many at most. */
  async function firstChats(filter: ChatFilter, range: ChatRange, order: Order, limit: number): Promise<Chat[]> {
    const size = Math.min(limit, chatsAtOnce);
    const found = await readChats(sql.chats(filter, range, order, size));
    const last = found.at(-1);
    if (found.length < size || size === limit || last === undefined) return found;
    const rest = order === 'newest' ? { ...range, after: position(last) } : { ...range, before: position(last) };
    return [...found, ...(await firstChats(filter, rest, order, limit - size))];
  }

  return {
    async chats(ids) {
      const chats = await inSteps(ids, async (some) => {
        const found = await rows<ChatWithBranchRow>(sql.chatsWithBranch(some), some.length);
        return found.map((row) => ({ chat: readChat(row), activeBranch: toActiveBranch(row) }));
      });
      return inOrder(ids, chats, ({ chat }) => chat.id);
    },

    async chatPage(filter, { first, last, after, before }) {
      const backwards = last !== null;
      const limit = (backwards ? last : first) ?? Number.MAX_SAFE_INTEGER;
      // One row more than asked for tells whether the page is the last in its direction.
      const found = await firstChats(filter, { after, before }, backwards ? 'oldest' : 'newest', limit + 1);
      const hasMore = found.length > limit;
      const page = found.slice(0, limit);
      if (backwards) page.reverse();

      const isAnythingAt = async (between: { after: ChatPosition | null; before: ChatPosition | null }) =>
        (await rows(sql.chats(filter, between, 'newest', 1))).length > 0;
      const [start, end] = [page[0], page.at(-1)];
      // An empty page has the other rows of the list, if any, on the side of its cursor.
      const hasPreviousPage =
        (backwards && hasMore) ||
        (after !== null && (await isAnythingAt({ after: null, before: start ? position(start) : null })));
      const hasNextPage =
        (!backwards && hasMore) ||
        (before !== null && (await isAnythingAt({ after: end ? position(end) : null, before: null })));
      return { rows: page, hasNextPage, hasPreviousPage };
    },

    async chatCount(filter) {
      const [row] = await rows<{ total: number | bigint }>(sql.chatCount(filter));
      return Number(row?.total ?? 0);
    },

    async eventPages(chatIds, page) {
      const read = await inSteps(chatIds, (some) => readChats(sql.chatsById(some)));
      const found = inOrder(chatIds, read, (chat) => chat.id);
      // The n-th event stands at index n - 1.
      const toIndex = (seq: number | null) => (seq === null ? null : seq - 1);
      const indexes = { ...page, after: toIndex(page.after), before: toIndex(page.before) };
      const pages = chatIds.map((chatId, n) => {
        const version = found[n]?.version ?? 0;
        return { chatId, version, ...pageWindow(indexes, version) };
      });
      const ranges = pages.map(({ chatId, start, end }) => ({ chatId, firstSeq: start + 1, lastSeq: end }));
      const count = pages.reduce((total, { start, end }) => total + end - start, 0);
      const lists = byKey(await rows<EventRow & Keyed>(sql.events(ranges), count), chatIds, toEvent);
      return pages.map((each, n) => sliceOf(lists[n] ?? [], each, each.version));
    },
  };
}

function position({ updatedAt, id }: Chat): ChatPosition {
  return { updatedAt, id };
}
