/** Runs searches: from a query to the messages found. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { scopeKey } from '../../../conversation/chat-scoped.js';
import type { ConversationReads, Hit, HitSlice, Search } from '../../../conversation/reads.js';
import { searches, searchSteps } from '../../../scheduler/search-limiters.js';
import { SearchWork } from '../../../limits/search-work.js';
import { parseQuery, type SearchQuery } from '../../../search/query.js';
import { SCORE_PER_RANK } from '../../dialects/hit-order.js';
import { HitLists } from './hit-lists.js';
import type { Reader } from '../reader.js';
import { searchInSteps } from './search-steps.js';

/** Matches that are ranked, per chat or in total; the newest ones. */
const MAX_RANKED = 1_000;

/** @param limits of ranked hits and work; lower in tests */
export function searchReads(
  reader: Reader,
  { ranked = MAX_RANKED, work: limit }: { ranked?: number; work?: number } = {},
): Pick<ConversationReads, 'hits' | 'hitPages'> {
  const { content, caller } = reader;
  // All searches of an operation share one budget.
  let workOfOperation: SearchWork | undefined;

  /**
   * Fills the lists.
   * @returns the parsed query
   */
  async function fillLists(lists: HitLists, { query: text, ...filter }: Search): Promise<SearchQuery> {
    const work = workOfOperation ?? new SearchWork(content, limit);
    if (content !== undefined) workOfOperation = work;
    try {
      return await searches.run(caller, async () => {
        const query = await searchSteps.run(caller, () => parse(text));
        // Only punctuation or exclusions: no results.
        if (query.required.length > 0) await searchInSteps(reader, { ...filter, query, lists, ranked, work });
        return query;
      });
    } catch (error) {
      // A rejection would be unhandled.
      if (content?.isOver === true) return new Promise<never>(() => {});
      throw error;
    }
  }

  /** The hits of one list, best first, or one list per chat. */
  async function find(chatIds: readonly string[] | null, search: Search): Promise<HitSlice[]> {
    const { first, after } = search;
    const lists = new HitLists(chatIds, { ranked, after, limit: first + 1 });
    const query = await fillLists(lists, search);
    const pages = lists.best();
    const shown = pages.flatMap((page) => page.slice(0, first).map(({ chatId, messageId: id }) => ({ chatId, id })));
    const read = await reader.messages((inlineBytes) => reader.sql.messages(shown, inlineBytes), shown.length);
    const found = new Map(read.map((message) => [scopeKey(message), message]));
    return pages.map((page) => ({
      hasNextPage: page.length > first,
      rows: page.slice(0, first).flatMap(({ messageId, score, createdAt, chatId, seq }): Hit[] => {
        const message = found.get(scopeKey({ chatId, id: messageId }));
        // Deleted between the statements.
        if (message === undefined) return [];
        return [{ message, rank: score / SCORE_PER_RANK, position: { score, createdAt, chatId, seq }, query }];
      }),
    }));
  }

  return {
    async hits(search) {
      const [slice] = await find(null, search);
      return slice ?? { rows: [], hasNextPage: false };
    },
    hitPages: find,
  };
}

/** In its own turn of the event loop: 10,000 characters take milliseconds, and an operation may have thirty queries. */
async function parse(text: string): Promise<SearchQuery> {
  await nextTurn();
  return parseQuery(text);
}
