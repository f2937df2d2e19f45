/**
 * Search on SQL Server. A text is a hit when it has the patterns, which LIKE decides in message_texts itself, and so the
 * answers are those of the other databases. Within a chat that reads the chat's texts, by their index. Without one, a
 * full-text index tells which texts can have them at all, where the server has such a thing.
 *
 * That index is filled in the background, and what is saved has to be found at once. So it is asked only when it says
 * that it has seen everything, and even then the newest texts are looked through, for what it says may be a moment old.
 * And it is asked for words of a-z alone: about others, word breakers have opinions of their own.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { HitPosition } from '../../../conversation/reads.js';
import type { HitRequest, SearchStatements } from '../dialect.js';
import { SCORE } from '../hit-order.js';
import { KEY, list } from './lists.js';
import type { Tables } from './tables.js';

/** How many texts are looked through although the index should know them. */
const NEWEST = 1000;

export const searchStatements = ({ schema }: Tables, hasFullTextIndex: boolean): SearchStatements => ({
  hits: (request) => hits(schema, request, hasFullTextIndex),
  tidySearch: null,
});

function hits(schema: string, request: HitRequest, hasFullTextIndex: boolean): Sql {
  const texts = tableOf(schema);
  const everywhere = page(schema, request, sql`${texts} d`);
  const words = request.index.filter(({ term }) => /^[a-z]+$/.test(term));
  if (!hasFullTextIndex || request.chatIds !== null || words.length === 0) return everywhere;

  const query = words.map(({ term, isPrefix }) => `"${term}${isPrefix ? '*' : ''}"`).join(' AND ');
  const known = page(
    schema,
    request,
    sql`(
      SELECT found.[KEY] AS [id] FROM CONTAINSTABLE(${texts}, [terms], ${query}) found
      UNION
      SELECT [id] FROM (SELECT TOP (${raw(String(NEWEST))}) [id] FROM ${texts} ORDER BY [id] DESC) newest
    ) candidates INNER JOIN ${texts} d ON d.[id] = candidates.[id]`,
  );
  const state = (property: string) =>
    raw(`CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[${schema}].[message_texts]'), N'${property}') AS INT)`);
  // Idle, or at work on single changes, of which none is left, and none has failed.
  return sql`
    IF ${state('TableFulltextPopulateStatus')} IN (0, 4)
      AND ${state('TableFulltextPendingChanges')} = 0
      AND ${state('TableFulltextFailCount')} = 0
    BEGIN
      ${known}
    END
    ELSE
    BEGIN
      ${everywhere}
    END`;
}

/**
 * A page of the best hits among some texts d, altogether or of each chat. Those that count are picked before they are
 * scored, along an index in the order of saving, so that no more texts are read than it takes. The score is summed up
 * from a table of its own: SUM takes no columns of another query.
 */
function page(schema: string, request: HitRequest, texts: Sql): Sql {
  const required = patterns(request.required);
  const order = raw('hit.[score] DESC, hit.[createdAt] DESC, hit.[chatId], hit.[seq] DESC');
  const best = sql`
    SELECT TOP (${request.limit}) hit.[messageId], hit.[chatId], hit.[createdAt], hit.[seq], hit.[score]
    FROM (
      SELECT d.[messageId], d.[chatId], d.[createdAt], d.[seq], (
        SELECT CAST(SUM(scored.[score]) AS BIGINT) FROM (
          SELECT ${SCORE} AS [score] FROM (SELECT ${occurrences} AS n FROM ${required}) counted
        ) scored
      ) AS [score]
      FROM (
        SELECT TOP (${request.ranked}) d.[id]
        FROM ${texts}
        WHERE ${join(conditions(schema, request, required), '\n          AND ')}
        ORDER BY d.[id] DESC
      ) newest
      INNER JOIN ${tableOf(schema)} d ON d.[id] = newest.[id]
    ) hit
    ${request.after === null ? empty : sql`WHERE ${beyondHit(request.after)}`}
    ORDER BY ${order}`;
  if (request.chatIds === null) return best;
  return sql`
    SELECT hit.[messageId], hit.[chatId], hit.[createdAt], hit.[seq], hit.[score]
    FROM (SELECT k.[n], k.[name] FROM ${namesOf(request.chatIds)}) chat
    CROSS APPLY (${best}) hit
    ORDER BY chat.[n], ${order}`;
}

/** Of k.[pattern] in d.[terms]. LEN does not count spaces at the end, and patterns and terms end in them: hence the bar. */
const occurrences = raw(
  "CAST(LEN(d.[terms] + N'|') - LEN(REPLACE(d.[terms] + N'|', k.[pattern], SUBSTRING(k.[pattern], 2, 4000))) AS BIGINT)",
);

/** Patterns are letters, digits, marks and spaces: nothing that LIKE takes for more than itself. */
const isIn = raw("d.[terms] LIKE N'%' + k.[pattern] + N'%'");
const isMissing = raw("d.[terms] NOT LIKE N'%' + k.[pattern] + N'%'");

function conditions(schema: string, { required, excluded, names, chatIds, userId }: HitRequest, all: Sql): Sql[] {
  // The longest first, and without a list, so that few texts are left to be compared with all.
  const longest = required.reduce((one, other) => (other.length > one.length ? other : one), '');
  return [
    sql`d.[terms] LIKE ${`%${longest}%`}`,
    sql`NOT EXISTS (SELECT 1 FROM ${all} WHERE ${isMissing})`,
    ...(excluded.length === 0 ? [] : [sql`NOT EXISTS (SELECT 1 FROM ${patterns(excluded)} WHERE ${isIn})`]),
    ...(names === null ? [] : [sql`d.[name] IN (SELECT k.[name] FROM ${namesOf(names)})`]),
    ...(chatIds === null ? [] : [raw('d.[chatId] = chat.[name]')]),
    sql`d.[chatId] NOT IN (SELECT c.[id] FROM ${raw(`[${schema}].[chats]`)} c WHERE c.[userId] = N'')`,
    ...(userId === null
      ? []
      : [
          sql`EXISTS (
          SELECT 1 FROM ${raw(`[${schema}].[chats]`)} c WHERE c.[id] = d.[chatId] AND c.[userId] = ${userId}
        )`,
        ]),
  ];
}

function tableOf(schema: string): Sql {
  return raw(`[${schema}].[message_texts]`);
}

function patterns(texts: readonly string[]): Sql {
  return list(
    texts.map((pattern) => ({ pattern })),
    { pattern: 'NVARCHAR(4000)' },
  );
}

function namesOf(names: readonly string[]): Sql {
  return list(
    names.map((name) => ({ name })),
    { name: KEY },
  );
}

function beyondHit({ score, createdAt, chatId, seq }: HitPosition): Sql {
  return sql`(hit.[score] < ${score} OR (hit.[score] = ${score} AND (hit.[createdAt] < ${createdAt}
      OR (hit.[createdAt] = ${createdAt} AND (hit.[chatId] > ${chatId} OR (hit.[chatId] = ${chatId} AND hit.[seq] < ${seq}))))))`;
}
