import type { Chat } from '../../conversation/model.js';
import { seqWindow, sliceOf } from '../../conversation/paging.js';
import type { ChatFilter, ChatPosition, ConversationReads } from '../../conversation/reads.js';
import type { ChatRange } from '../dialects/base/chats.js';
import { goesInSteps, idsOfFiltered } from './filters/filtered-chats.js';
import { piecesOf } from './log-pieces.js';
import { positionedPage } from './positioned-page.js';
import type { Reader } from './reader.js';
import { byKey, inOrder, toActiveBranch, toEvent, type ChatWithBranchRow, type EventRow, type Keyed } from './rows.js';

type List = [filter: ChatFilter, range: ChatRange, order: 'newest' | 'oldest', limit: number];

export function chatReads(reader: Reader) {
  const { sql, rows, chat: readChat, chats: readChats, chatsAtOnce } = reader;
  async function inSteps<T>(ids: readonly string[], read: (ids: readonly string[]) => Promise<T[]>): Promise<T[]> {
    const found: T[] = [];
    for (let n = 0; n < ids.length; n += chatsAtOnce) found.push(...(await read(ids.slice(n, n + chatsAtOnce))));
    return found;
  }

  /** The first `count` chats of a list that is filtered in steps. */
  async function firstFiltered(...[filter, range, order, limit]: List): Promise<Chat[]> {
    const found: Chat[] = [];
    for await (const ids of idsOfFiltered(reader, filter, range, order)) {
      const wanted = ids.slice(0, limit - found.length);
      const chats = await inSteps(wanted, (some) => readChats(sql.chatsById(some)));
      for (const chat of inOrder(wanted, chats, ({ id }) => id)) if (chat !== null) found.push(chat);
      if (found.length >= limit) break;
    }
    return found;
  }

  async function firstChats(...[filter, range, order, limit]: List): Promise<Chat[]> {
    if (goesInSteps(filter, sql.filterSteps)) return firstFiltered(filter, range, order, limit);
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

    chatPage: (filter, page) =>
      positionedPage(page, {
        read: (range, from, limit) => firstChats(filter, range, from === 'first' ? 'newest' : 'oldest', limit),
        isAnythingAt: async (range) => {
          if (!goesInSteps(filter, sql.filterSteps))
            return (await rows(sql.chats(filter, range, 'newest', 1))).length > 0;
          for await (const ids of idsOfFiltered(reader, filter, range, 'newest')) if (ids.length > 0) return true;
          return false;
        },
        positionOf: position,
      }),

    async chatCount(filter) {
      if (goesInSteps(filter, sql.filterSteps)) {
        let total = 0;
        const all = { after: null, before: null };
        for await (const ids of idsOfFiltered(reader, filter, all, 'newest')) total += ids.length;
        return total;
      }
      const [row] = await rows<{ total: number }>(sql.chatCount(filter));
      return row?.total ?? 0;
    },

    async headsAt(chatId, seq, branchIds) {
      const heads = new Map<string, string | null>();
      let left = branchIds;
      // Backwards: creation, move and activation of a branch are usually adjacent.
      for (const piece of piecesOf({ chatId, firstSeq: 1, lastSeq: seq }, 'last')) {
        if (left.length === 0) break;
        const newest = new Map<string, number>();
        const moves = await rows<{ seq: number; branchId: string; headId: string | null }>(
          sql.headEvents(piece, left),
          piece.length,
        );
        for (const { seq: at, branchId, headId } of moves) {
          if (at <= (newest.get(branchId) ?? 0)) continue;
          newest.set(branchId, at);
          heads.set(branchId, headId);
        }
        left = left.filter((id) => !heads.has(id));
      }
      return heads;
    },

    async eventsAt(keys) {
      const ranges = keys.map(({ chatId, seq }) => ({ chatId, firstSeq: seq, lastSeq: seq }));
      const found = byKey(await rows<EventRow & Keyed>(sql.events(ranges), keys.length), keys, toEvent);
      return keys.map((_, n) => found[n]?.[0] ?? null);
    },

    async eventPages(chatIds, page) {
      const read = await inSteps(chatIds, (some) => readChats(sql.chatsById(some)));
      const found = inOrder(chatIds, read, (chat) => chat.id);
      const pages = chatIds.map((chatId, n) => {
        const version = found[n]?.version ?? 0;
        return { chatId, version, ...seqWindow(page, version) };
      });
      const ranges = pages.map(({ chatId, start, end }) => ({ chatId, firstSeq: start + 1, lastSeq: end }));
      const count = pages.reduce((total, { start, end }) => total + end - start, 0);
      const lists = byKey(await rows<EventRow & Keyed>(sql.events(ranges), count), chatIds, toEvent);
      return pages.map((each, n) => sliceOf(lists[n] ?? [], each, each.version));
    },
  } satisfies Partial<ConversationReads>;
}

function position({ updatedAt, id }: Chat): ChatPosition {
  return { updatedAt, id };
}
