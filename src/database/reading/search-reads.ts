/** Search: from a query to the messages that it finds. */
import type { ConversationReads, Hit, HitSlice, Search } from '../../conversation/reads.js';
import { parseQuery } from '../../search/query.js';
import { SCORE_PER_RANK } from '../dialects/hit-order.js';
import type { Reader } from './reader.js';

interface HitRow {
  messageId: string;
  chatId: string;
  createdAt: number | bigint;
  seq: number | bigint;
  score: number | bigint;
}

/** How many of the messages that match are ranked, in each chat or altogether: those that were saved last. */
const MAX_RANKED = 1_000;

/** @param ranked for tests, which have fewer messages */
export function searchReads(
  { sql, rows, messages }: Reader,
  ranked = MAX_RANKED,
): Pick<ConversationReads, 'hits' | 'hitPages'> {
  /** The hits of one list, best first, or of one for each chat. */
  async function find(chatIds: readonly string[] | null, search: Search): Promise<HitSlice[]> {
    const { query: text, first, ...filter } = search;
    const query = parseQuery(text);
    // Punctuation, or exclusions alone: nothing is looked for.
    const isEmpty = query.required.length === 0;
    const request = { ...query, ...filter, chatIds, limit: first + 1, ranked };
    const found = isEmpty ? [] : await rows<HitRow>(sql.hits(request));
    const pages = chatIds === null ? [found] : byChat(found, chatIds);
    const shown = pages.flatMap((page) => page.slice(0, first).map(({ messageId }) => messageId));
    const read = await messages((inlineBytes) => sql.messagesById(shown, inlineBytes), shown.length);
    const byId = new Map(read.map((message) => [message.id, message]));
    return pages.map((page) => ({
      hasNextPage: page.length > first,
      rows: page.slice(0, first).flatMap(({ messageId, chatId, createdAt, seq, score }): Hit[] => {
        const message = byId.get(messageId);
        // Deleted between the two statements.
        if (message === undefined) return [];
        const position = { score: Number(score), createdAt: Number(createdAt), chatId, seq: Number(seq) };
        return [{ message, rank: position.score / SCORE_PER_RANK, position, query }];
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

function byChat(hits: readonly HitRow[], chatIds: readonly string[]): HitRow[][] {
  const lists = new Map(chatIds.map((chatId): [string, HitRow[]] => [chatId, []]));
  for (const hit of hits) lists.get(hit.chatId)?.push(hit);
  return chatIds.map((chatId) => lists.get(chatId) ?? []);
}
