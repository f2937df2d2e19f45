/**
 * Search on SQL Server. LIKE decides about each text, so results equal those of other databases. Within a chat all
 * texts are candidates; otherwise the full-text index narrows them. The index is filled in the background: it is used
 * only when up to date, the newest texts are always scanned, and only words of a-z are queried, because word breakers
 * differ on others.
 */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { SearchStatements } from '../dialect.js';
import type { CandidateRequest } from '../requests.js';
import { SCORE } from '../hit-order.js';
import { column } from './lists.js';

const PATTERN = 'NVARCHAR(4000)';
/** The newest texts that are scanned although the index should have them. */
const NEWEST = 1000;

/** @param hasFullTextIndex whether an index can be queried */
export function searchStatements(
  schema: string,
  table: (name: 'message_texts' | 'chats') => Sql,
  hasFullTextIndex: boolean,
): SearchStatements {
  const texts = table('message_texts');
  const chats = table('chats');
  return {
    candidates(request) {
      const everywhere = newest(sql`${texts} d`, chats, request);
      const words = request.index.filter(({ term }) => /^[a-z]+$/.test(term));
      if (!hasFullTextIndex || request.chatIds !== null || words.length === 0) return everywhere;

      const query = words.map(({ term, isPrefix }) => `"${term}${isPrefix ? '*' : ''}"`).join(' AND ');
      const known = sql`(
      SELECT found.[KEY] AS [id] FROM CONTAINSTABLE(${texts}, [terms], ${query}) found
      UNION
      SELECT [id] FROM (SELECT TOP (${raw(String(NEWEST))}) [id] FROM ${texts} ORDER BY [id] DESC) newest
    ) candidates INNER JOIN ${texts} d ON d.[id] = candidates.[id]`;
      const state = (property: string) =>
        raw(`CAST(OBJECTPROPERTYEX(OBJECT_ID(N'[${schema}].[message_texts]'), N'${property}') AS INT)`);
      // Idle, or applying single changes of which none is pending or failed.
      return sql`
    IF ${state('TableFulltextPopulateStatus')} IN (0, 4)
      AND ${state('TableFulltextPendingChanges')} = 0
      AND ${state('TableFulltextFailCount')} = 0
    BEGIN
      ${newest(known, chats, request)}
    END
    ELSE
    BEGIN
      ${everywhere}
    END`;
    },

    // SUM needs a derived table: it accepts no columns of an outer query.
    hits: (ids, { required, excluded }) => sql`
    SELECT d.[id], d.[messageId], d.[chatId], d.[createdAt], d.[seq], (
      SELECT CAST(SUM(scored.[score]) AS BIGINT) FROM (
        SELECT ${SCORE} AS [score] FROM (SELECT ${occurrences} AS n FROM ${column('pattern', required, PATTERN)}) counted
      ) scored
    ) AS [score]
    FROM ${column('id', ids, 'INT')} INNER JOIN ${texts} d ON d.[id] = k.[id]
    WHERE ${none(isMissing, required)} AND ${none(isIn, excluded)}`,

    lastText: null,
    owners: null,

    tidySearch: null,
  };
}

/** Candidates among some texts d. */
function newest(texts: Sql, chats: Sql, request: CandidateRequest): Sql {
  const { names, chatIds, userId, sharedIds = [], createdAfter = null, createdBefore = null, before, limit } = request;
  const isShared = sharedIds.length === 0 ? empty : sql`OR ${isOf(sharedIds)}`;
  const conditions = [
    sql`d.[chatId] NOT IN (SELECT c.[id] FROM ${chats} c WHERE c.[userId] = N'')`,
    ...(before === null ? [] : [sql`d.[id] < ${before}`]),
    ...(names === null ? [] : [sql`d.[name] IN (SELECT k.[name] FROM ${column('name', names)})`]),
    ...(createdAfter === null ? [] : [sql`d.[createdAt] > ${createdAfter}`]),
    ...(createdBefore === null ? [] : [sql`d.[createdAt] < ${createdBefore}`]),
    ...(chatIds === null ? [] : [isOf(chatIds)]),
    ...(userId === null
      ? []
      : [sql`(EXISTS (SELECT 1 FROM ${chats} c WHERE c.[id] = d.[chatId] AND c.[userId] = ${userId}) ${isShared})`]),
  ];
  return sql`
    SELECT TOP (${limit}) d.[id], d.[chatId], CAST(DATALENGTH(d.[terms]) / 2 AS INT) AS [bytes]
    FROM ${texts}
    WHERE ${join(conditions, '\n      AND ')}
    ORDER BY d.[id] DESC`;
}

/** For one chat, the index has the texts in the requested order. */
function isOf(chatIds: readonly string[]): Sql {
  return chatIds.length === 1
    ? sql`d.[chatId] = ${chatIds[0]}`
    : sql`d.[chatId] IN (SELECT k.[name] FROM ${column('name', chatIds)})`;
}

/** Occurrences of k.[pattern] in d.[terms]. LEN ignores trailing spaces: hence the bar. */
const occurrences = raw(
  "CAST(LEN(d.[terms] + N'|') - LEN(REPLACE(d.[terms] + N'|', k.[pattern], SUBSTRING(k.[pattern], 2, 4000))) AS BIGINT)",
);

/** Patterns are letters, digits, marks and spaces: no LIKE wildcards. */
const isIn = raw("d.[terms] LIKE N'%' + k.[pattern] + N'%'");
const isMissing = raw("d.[terms] NOT LIKE N'%' + k.[pattern] + N'%'");

/** The condition holds for none of some patterns. */
function none(isSo: Sql, of: readonly string[]): Sql {
  return of.length === 0
    ? raw('1 = 1')
    : sql`NOT EXISTS (SELECT 1 FROM ${column('pattern', of, PATTERN)} WHERE ${isSo})`;
}
