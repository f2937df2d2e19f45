/** Search: from a query to the messages that it finds. */
import type { ConversationReads } from '../conversation/reads.js';
import { SCORE_PER_RANK } from './hit-order.js';
import type { Reader } from './reads.js';

interface HitRow {
  messageId: string;
  chatId: string;
  createdAt: number | bigint;
  seq: number | bigint;
  score: number | bigint;
}

export function searchReads({ sql, rows, messages }: Reader): Pick<ConversationReads, 'search'> {
  return {
    async search(query, filter, { first, after }) {
      // Punctuation, or exclusions alone: nothing is looked for.
      if (query.required.length === 0) return { rows: [], hasNextPage: false };
      const found = await rows<HitRow>(sql.hits({ ...query, ...filter, after, limit: first + 1 }));
      const page = found.slice(0, first);
      const texts = await messages(sql.messagesById(page.map((hit) => hit.messageId)));
      const byId = new Map(texts.map((message) => [message.id, message]));
      const hits = page.flatMap(({ messageId, chatId, createdAt, seq, score }) => {
        const message = byId.get(messageId);
        // Deleted between the two statements.
        if (message === undefined) return [];
        const position = { score: Number(score), createdAt: Number(createdAt), chatId, seq: Number(seq) };
        return [{ message, rank: position.score / SCORE_PER_RANK, position }];
      });
      return { rows: hits, hasNextPage: found.length > first };
    },
  };
}
