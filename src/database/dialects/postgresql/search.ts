/** Search, on PostgreSQL. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { HitRequest, SearchStatements } from '../dialect.js';
import { bestHits, hasSeveralLists, phrases, SCORE } from '../hit-order.js';

export const searchStatements: SearchStatements = {
  hits: (request) => bestHits(matches(request), request),

  tidySearch: null,
};

/**
 * The index tells which texts have all the words; they are sorted without a look into them, and decide, the last one first,
 * until enough have the patterns. A long text is unpacked once, for || makes another of it. OFFSET 0 keeps the planner from
 * undoing that, and n, which is used twice, from being worked out twice; + 0 keeps it from going along all texts instead.
 */
function matches(request: HitRequest): Sql {
  const { required, excluded, ranked } = request;
  return sql`
    SELECT d."id", d."messageId", d."chatId", d."createdAt", d."seq", scored.score
    FROM (SELECT d."id" + 0 AS "id" FROM message_texts d WHERE ${candidates(request)} ORDER BY 1 DESC OFFSET 0) candidate
    CROSS JOIN LATERAL (
      SELECT t."id", t."messageId", t."chatId", t."createdAt", t."seq", t."length", t."terms" || '' AS "terms"
      FROM message_texts t WHERE t."id" = candidate."id" OFFSET 0
    ) d
    CROSS JOIN LATERAL (
      SELECT CASE WHEN min(n) > 0 THEN sum(${SCORE})::bigint END AS score
      FROM (
        SELECT octet_length(d."terms") - octet_length(replace(d."terms", p, substr(p, 2))) AS n
        FROM unnest(${required}::text[]) AS p OFFSET 0
      ) counted
    ) scored
    WHERE scored.score IS NOT NULL ${andNone('missing', phrases(required))} ${andNone('found', excluded)}
    ORDER BY candidate."id" DESC LIMIT ${hasSeveralLists(request) ? null : ranked}::bigint`;
}

/** Conditions of texts d that are seen without reading them. */
function candidates(request: HitRequest): Sql {
  const { names, userId } = request;
  return sql`${isFound(request)}
    AND d."chatId" NOT IN (SELECT "id" FROM chats WHERE "userId" = '')
    ${names === null ? empty : sql`AND d."name" = ANY (${names}::text[])`}
    ${userId === null ? empty : sql`AND EXISTS (SELECT 1 FROM chats c WHERE c."id" = d."chatId" AND c."userId" = ${userId})`}`;
}

/**
 * By the index, which knows chats as it knows words. The planner is not shown what is asked for: of a word that it takes for
 * everywhere it would read the vectors of all texts. But a beginning of a word costs the index all that begins so, in every
 * chat: there it may choose the chats' texts instead, and is shown.
 */
function isFound(request: HitRequest): Sql {
  const { index, chatIds } = request;
  const query = sql`${tsQuery(request)}::tsquery`;
  if (chatIds === null) return sql`(d."vector" @@ (SELECT ${query}) OR d."vector" IS NULL)`;
  const isOfChats = sql`d."chatId" = ANY (${chatIds}::text[])`;
  return isInTsQuery(chatIds) && !index.some(({ isPrefix }) => isPrefix)
    ? sql`(d."vector" @@ (SELECT ${query}) OR d."vector" IS NULL AND ${isOfChats})`
    : sql`(d."vector" @@ ${query} OR d."vector" IS NULL) AND ${isOfChats}`;
}

/** That of some patterns none is missing in a text d, or none is found. */
function andNone(is: 'missing' | 'found', patterns: readonly string[]): Sql {
  if (patterns.length === 0) return empty;
  const place = raw(is === 'missing' ? '= 0' : '> 0');
  return sql`AND NOT EXISTS (SELECT 1 FROM unnest(${patterns}::text[]) AS p WHERE strpos(d."terms", p) ${place})`;
}

/** Words are letters and digits; chats stand behind a slash: see the migration. */
function tsQuery({ index, chatIds }: HitRequest): string {
  const words = index.map(({ term, isPrefix }) => `'${term}'${isPrefix ? ':*' : ''}`);
  if (!isInTsQuery(chatIds)) return words.join(' & ');
  const chats = chatIds.map((id) => `'/${id.replace(/['\\]/g, '$&$&')}'`);
  return [`(${chats.join(' | ')})`, ...words].join(' & ');
}

/** A tsquery has an end, and among more chats the word decides. */
function isInTsQuery(chatIds: HitRequest['chatIds']): chatIds is readonly string[] {
  return chatIds !== null && chatIds.length <= 100;
}
