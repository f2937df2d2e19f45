/** Search in the distributed form. */
import sql, { empty, type Sql } from 'sql-template-tag';
import type { SearchStatements } from '../../database/dialects/dialect.js';
import type { CandidateRequest } from '../../database/dialects/requests.js';
import * as plain from '../../database/dialects/postgresql/search.js';

/**
 * The newest texts of several chats are in all shards, and a list of chats finds no shard. With a condition on the chat, plans
 * depend on its size, so none is prepared.
 */
export const searchInShards: Pick<SearchStatements, 'candidates' | 'hits'> = {
  candidates(request) {
    const { index, chatIds, userId } = request;
    if (chatIds?.length === 1) return plain.ofChats(request, onlyChat);
    if (chatIds !== null || userId !== null) return ofEachChat(request);
    return index.length === 0 ? plain.ofAll(request) : plain.ofIndex(request);
  },
  hits: plain.hitsIn(onlyChat),
};

/** Lets the planner read one shard. */
function onlyChat(chatIds: readonly string[] | null): Sql {
  return chatIds?.length === 1 ? sql`AND d."chatId" = ${chatIds[0]}` : empty;
}

/** Candidates in some chats, by one lookup for each: a join with them is complete in each shard. */
function ofEachChat(request: CandidateRequest): Sql {
  const words = request.index.filter(({ isPrefix }) => !isPrefix).map((word) => ` & ${plain.token(word)}`);
  const beginnings = request.index.filter(({ isPrefix }) => isPrefix);
  return sql`
    SELECT d.* FROM chats CROSS JOIN LATERAL (
      SELECT ${plain.COLUMNS} FROM message_texts d
      WHERE d."chatId" = chats."id" AND (d."vector" @@ (${plain.CHAT_TOKEN} || ${words.join('')}::text)::tsquery OR d."vector" IS NULL)
        ${beginnings.length === 0 ? empty : sql`AND ${plain.isFound(beginnings)}`} ${plain.others(request)}
      OFFSET 0
    ) d
    WHERE ${plain.areAsked(request)} ORDER BY d."id" DESC LIMIT ${request.limit}`;
}
