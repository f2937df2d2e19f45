import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { IndexTerm } from '../../../search/query.js';
import type { SearchStatements } from '../dialect.js';
import type { CandidateRequest } from '../requests.js';
import { SCORE } from '../hit-order.js';
import { postgresqlDifferences } from './differences.js';

const { hidden, prepared } = postgresqlDifferences;

/** Chats per tsquery, whose size is limited. */
const CHATS_AT_ONCE = 100;

export const searchStatements: SearchStatements = {
  candidates(request) {
    const { index, chatIds, userId } = request;
    if (chatIds !== null || userId !== null) {
      return sql`${chatIds?.length === 1 ? prepared : empty} ${newestOrIndexed(request, ofChats(request, anyChat))}`;
    }
    return index.length === 0 ? ofAll(request) : newestOrIndexed(request, ofIndex(request));
  },

  hits: hitsIn(anyChat, prepared),

  lastText: null,
  owners: null,

  tidySearch: null,
};

/** With one id, the plan does not depend on the value. */
const isOneOf = (column: Sql, ids: readonly string[]): Sql =>
  ids.length === 1 ? sql`${column} = ${ids[0]}` : sql`${column} = ANY (${ids}::text[])`;

/** A condition on the chat of a text d. */
type InChat = (chatIds: readonly string[] | null) => Sql;

/** None, so that the planner does not read all texts of a chat instead of those that the index finds. */
function anyChat(): Sql {
  return empty;
}

// || detoasts a long text once. OFFSET 0 keeps that, keeps non-matching texts out of the count, and computes n once.
export function hitsIn(inChat: InChat, start = empty): SearchStatements['hits'] {
  return (ids, { required, excluded }, chatIds) => sql`
    ${start}
    SELECT d."id", d."messageId", d."chatId", d."createdAt", d."seq", scored.score
    FROM (
      SELECT * FROM (
        SELECT "id", "messageId", "chatId", "createdAt", "seq", "length", "terms" || '' AS "terms"
        FROM message_texts d WHERE "id" = ANY (${ids}::bigint[]) ${inChat(chatIds)} OFFSET 0
      ) d
      WHERE ${none('missing', required)} AND ${none('found', excluded)} OFFSET 0
    ) d
    CROSS JOIN LATERAL (
      SELECT sum(${SCORE})::bigint AS score
      FROM (
        SELECT octet_length(d."terms") - octet_length(replace(d."terms", p, substr(p, 2))) AS n
        FROM unnest(${required}::text[]) AS p OFFSET 0
      ) counted
    ) scored`;
}

/** octet_length reads the length without detoasting. */
export const COLUMNS = raw('d."id", d."chatId", octet_length(d."terms") AS bytes');

/** Number of the newest texts from which the share of candidates is estimated. */
const SAMPLE = 200;
/** Fewer candidates in the sample may be chance. */
const MIN_SAMPLED = 4;

/**
 * The newest candidates. If n texts of the sample are candidates, the newest `limit` are expected in limit * SAMPLE / n
 * texts. These are read, newest first, unless the index, which returns all candidates, expects fewer: the texts * n /
 * SAMPLE. Twice that number is the limit of such a read; the index is used if it finds too few.
 */
function newestOrIndexed(request: CandidateRequest, indexed: Sql): Sql {
  const { before, limit } = request;
  const newest = (columns: Sql, count: Sql) => sql`
      SELECT ${columns} FROM (
        SELECT * FROM message_texts d WHERE ${before === null ? raw('true') : sql`d."id" < ${before}`}
        ORDER BY d."id" DESC LIMIT ${count}
      ) d
      WHERE ${isCandidate(request)}`;
  // Ids count texts, except deleted ones.
  const texts = before === null ? raw('(SELECT max("id") FROM message_texts)') : sql`${before}::bigint`;
  return sql`
    WITH sample AS MATERIALIZED (${newest(raw('count(*) AS n'), raw(String(SAMPLE)))}),
    newest AS MATERIALIZED (
      ${newest(COLUMNS, sql`(SELECT 2 * ${limit}::int * ${SAMPLE}::int / greatest(n, 1) FROM sample)`)}
        AND (SELECT n >= ${MIN_SAMPLED}::int AND n * n * ${texts}::bigint >= ${limit}::bigint * ${SAMPLE ** 2}::int FROM sample)
      LIMIT ${hidden(limit)}
    )
    SELECT * FROM newest WHERE (SELECT count(*) FROM newest) = ${limit}::int
    UNION ALL
    SELECT * FROM (${indexed}) indexed WHERE (SELECT count(*) FROM newest) < ${limit}::int
    ORDER BY "id" DESC`;
}

/** The conditions on a text d, for reads without the index. CASE reads vectors, which may be long, last. */
function isCandidate(request: CandidateRequest): Sql {
  const { index, chatIds, userId, sharedIds = [] } = request;
  const isOwn = sql`(SELECT "userId" FROM chats WHERE "id" = d."chatId") = ${userId}`;
  const isShared = sharedIds.length === 0 ? empty : sql`OR d."chatId" = ANY (${sharedIds}::text[])`;
  const isInScope = sql`${raw(NOT_DELETED)}
    ${chatIds === null ? empty : sql`AND ${isOneOf(raw('d."chatId"'), chatIds)}`}
    ${userId === null ? empty : sql`AND (${isOwn} ${isShared})`}`;
  return sql`(CASE WHEN ${isInScope} ${others({ ...request, before: null })}
    THEN ${index.length === 0 ? raw('true') : isFound(index)} ELSE false END)`;
}

/**
 * Candidates in some chats. The index stores chats as words, so cost depends on these chats only. A prefix expands over
 * all chats: it is evaluated once, not per hundred chats.
 */
export function ofChats(request: CandidateRequest, inChat: InChat): Sql {
  const { index, chatIds, limit } = request;
  const words = index.filter(({ isPrefix }) => !isPrefix).map((word) => ` & ${token(word)}`);
  const beginnings = index.filter(({ isPrefix }) => isPrefix);
  const begun = sql`JOIN (SELECT d."id" FROM message_texts d WHERE ${isFound(beginnings)} ${inChat(chatIds)} OFFSET 0) begun ON begun."id" = d."id"`;
  return sql`
    WITH asked AS MATERIALIZED (
      SELECT array_agg("id") AS chats, ('(' || string_agg(token, ' | ') || ')' || ${words.join('')}::text)::tsquery AS query
      FROM (
        SELECT "id", ${CHAT_TOKEN} AS token,
          (row_number() OVER () - 1) / ${CHATS_AT_ONCE}::int AS part
        FROM chats WHERE ${areAsked(request)}
      ) chats
      GROUP BY part
    )
    SELECT d.* FROM asked CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM message_texts d
      WHERE (d."vector" @@ asked.query OR d."vector" IS NULL AND d."chatId" = ANY (asked.chats)) ${inChat(chatIds)} ${others(request)}
      OFFSET 0
    ) d
    ${beginnings.length === 0 ? empty : begun}
    ORDER BY d."id" DESC LIMIT ${hidden(limit)}`;
}

export function areAsked({ chatIds, userId, sharedIds = [] }: CandidateRequest): Sql {
  const isShared = sharedIds.length === 0 ? empty : sql`OR chats."id" = ANY (${sharedIds}::text[])`;
  return sql`chats."userId" <> ''
    ${chatIds === null ? empty : sql`AND ${isOneOf(raw('chats."id"'), chatIds)}`}
    ${userId === null ? empty : sql`AND (chats."userId" = ${userId} ${isShared})`}`;
}

export const CHAT_TOKEN = raw(`'''/' || replace(replace(chats."id", '\\', '\\\\'), '''', '''''') || ''''`);

/** Candidates in every chat, by the index. */
export function ofIndex(request: CandidateRequest): Sql {
  return sql`
    SELECT ${COLUMNS} FROM (
      SELECT d."id" + 0 AS "id" FROM message_texts d WHERE ${isFound(request.index)} ${IS_THERE} ${others(request)}
      ORDER BY 1 DESC LIMIT ${request.limit}
    ) found JOIN message_texts d ON d."id" = found."id"
    ORDER BY d."id" DESC`;
}

export function ofAll(request: CandidateRequest): Sql {
  const { before, limit } = request;
  return sql`
    SELECT ${COLUMNS} FROM message_texts d WHERE ${before === null ? raw('true') : sql`d."id" < ${before}`} ${IS_THERE}
      ${others({ ...request, before: null })}
    ORDER BY d."id" DESC LIMIT ${limit}`;
}

/**
 * The condition that the index matches a text d, or has not indexed it. Hidden from the planner, which would detoast
 * all vectors for frequent words.
 */
export function isFound(index: readonly IndexTerm[]): Sql {
  return sql`(d."vector" @@ (SELECT ${index.map(token).join(' & ')}::tsquery) OR d."vector" IS NULL)`;
}

const NOT_DELETED = `d."chatId" NOT IN (SELECT "id" FROM chats WHERE "userId" = '')`;
const IS_THERE = raw(`AND ${NOT_DELETED}`);

/** The other conditions on a text d. + 0 keeps the planner from scanning the primary key. */
export function others({ names, createdAfter = null, createdBefore = null, before }: CandidateRequest): Sql {
  return sql`${before === null ? empty : sql`AND d."id" + 0 < ${before}`}
    ${names === null ? empty : sql`AND d."name" = ANY (${names}::text[])`}
    ${createdAfter === null ? empty : sql`AND d."createdAt" > ${createdAfter}::bigint`}
    ${createdBefore === null ? empty : sql`AND d."createdAt" < ${createdBefore}::bigint`}`;
}

/** None of some patterns is missing in a text d, or none is found. */
function none(is: 'missing' | 'found', patterns: readonly string[]): Sql {
  if (patterns.length === 0) return raw('true');
  const place = raw(is === 'missing' ? '= 0' : '> 0');
  return sql`NOT EXISTS (SELECT 1 FROM unnest(${patterns}::text[]) AS p WHERE strpos(d."terms", p) ${place})`;
}

/** A tsquery token. Words are letters and digits; chats have a slash: see the migration. */
export const token = ({ term, isPrefix }: IndexTerm) => `'${term}'${isPrefix ? ':*' : ''}`;
