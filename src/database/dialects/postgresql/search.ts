/** Search, on PostgreSQL. */
import sql, { empty } from 'sql-template-tag';
import type { HitRequest } from '../dialect.js';
import { bestHits, SCORE } from '../hit-order.js';
import type { SearchStatements } from '../dialect.js';

export const searchStatements: SearchStatements = {
  // The index tells which texts have all the words; whether they have the patterns, the texts themselves. OFFSET 0 keeps n,
  // which is used twice, from being worked out twice.
  hits: (request) => sql`
    WITH scored AS (
      SELECT d."messageId", d."chatId", d."createdAt", d."seq", (
        SELECT sum(${SCORE})::bigint FROM (
          SELECT octet_length(d."terms") - octet_length(replace(d."terms", p, substr(p, 2))) AS n
          FROM unnest(${request.required}::text[]) AS p OFFSET 0
        ) counted
      ) AS score
      FROM message_texts d
      WHERE (d."vector" @@ ${tsQuery(request)}::tsquery OR d."vector" IS NULL)
        AND d."chatId" NOT IN (SELECT "id" FROM chats WHERE "userId" = '')
        AND NOT EXISTS (SELECT 1 FROM unnest(${request.required}::text[]) AS p WHERE strpos(d."terms", p) = 0)
        ${request.excluded.length === 0 ? empty : sql`AND NOT EXISTS (SELECT 1 FROM unnest(${request.excluded}::text[]) AS p WHERE strpos(d."terms", p) > 0)`}
        ${request.names === null ? empty : sql`AND d."name" = ANY (${request.names}::text[])`}
        ${request.chatIds === null ? empty : sql`AND d."chatId" = ANY (${request.chatIds}::text[])`}
        ${request.userId === null ? empty : sql`AND EXISTS (SELECT 1 FROM chats c WHERE c."id" = d."chatId" AND c."userId" = ${request.userId})`}
    )
    ${bestHits(request)}`,

  tidySearch: null,
};

/** Words are letters and digits; chats stand behind a slash: see the migration. */
function tsQuery({ index, chatIds }: HitRequest): string {
  // A tsquery has an end, and among so many chats the word decides.
  const chats =
    chatIds === null || chatIds.length > 100 ? undefined : chatIds.map((id) => `'/${id.replace(/['\\]/g, '$&$&')}'`);
  const words = index.map(({ term, isPrefix }) => `'${term}'${isPrefix ? ':*' : ''}`);
  return [...(chats === undefined ? [] : [`(${chats.join(' | ')})`]), ...words].join(' & ');
}
