/**
 * Search on SQL Server. The texts themselves decide what is a hit, with LIKE, and so the answers are those of the other
 * databases. Within a chat all of its texts are candidates, by the chat's index. Without one, a full-text index tells which
 * texts can have the words at all, where the server has such a thing.
 *
 * That index is filled in the background, and what is saved has to be found at once. So it is asked only when it says
 * that it has seen everything, and even then the newest texts are looked through, for what it says may be a moment old.
 * And it is asked for words of a-z alone: about others, word breakers have opinions of their own.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { SearchStatements } from '../dialect.js';
import type { CandidateRequest } from '../requests.js';
import { SCORE } from '../hit-order.js';
import { KEY, list } from './lists.js';

/** How many texts are looked through although the index should know them. */
const NEWEST = 1000;

/** @param hasFullTextIndex whether there is one that can be asked */
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
      // Idle, or at work on single changes, of which none is left, and none has failed.
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

    // The score is summed up from a table of its own: SUM takes no columns of another query.
    hits: (ids, { required, excluded }) => sql`
    SELECT d.[id], d.[messageId], d.[chatId], d.[createdAt], d.[seq], (
      SELECT CAST(SUM(scored.[score]) AS BIGINT) FROM (
        SELECT ${SCORE} AS [score] FROM (SELECT ${occurrences} AS n FROM ${patterns(required)}) counted
      ) scored
    ) AS [score]
    FROM ${list(
      ids.map((id) => ({ id })),
      { id: 'INT' },
    )} INNER JOIN ${texts} d ON d.[id] = k.[id]
    WHERE ${none(isMissing, required)} AND ${none(isIn, excluded)}`,

    lastText: null,
    owners: null,

    tidySearch: null,
  };
}

/** Candidates among some texts d. */
function newest(texts: Sql, chats: Sql, request: CandidateRequest): Sql {
  const { names, chatIds, userId, createdAfter = null, createdBefore = null, before, limit } = request;
  const conditions = [
    sql`d.[chatId] NOT IN (SELECT c.[id] FROM ${chats} c WHERE c.[userId] = N'')`,
    ...(before === null ? [] : [sql`d.[id] < ${before}`]),
    ...(names === null ? [] : [sql`d.[name] IN (SELECT k.[name] FROM ${namesOf(names)})`]),
    ...(createdAfter === null ? [] : [sql`d.[createdAt] > ${createdAfter}`]),
    ...(createdBefore === null ? [] : [sql`d.[createdAt] < ${createdBefore}`]),
    ...(chatIds === null ? [] : [isOf(chatIds)]),
    ...(userId === null
      ? []
      : [sql`EXISTS (SELECT 1 FROM ${chats} c WHERE c.[id] = d.[chatId] AND c.[userId] = ${userId})`]),
  ];
  return sql`
    SELECT TOP (${limit}) d.[id], d.[chatId], CAST(DATALENGTH(d.[terms]) / 2 AS INT) AS [bytes]
    FROM ${texts}
    WHERE ${join(conditions, '\n      AND ')}
    ORDER BY d.[id] DESC`;
}

/** Of one chat, the index has the texts in the order that is asked for. */
function isOf(chatIds: readonly string[]): Sql {
  return chatIds.length === 1
    ? sql`d.[chatId] = ${chatIds[0]}`
    : sql`d.[chatId] IN (SELECT k.[name] FROM ${namesOf(chatIds)})`;
}

/** Of k.[pattern] in d.[terms]. LEN does not count spaces at the end, and patterns and terms end in them: hence the bar. */
const occurrences = raw(
  "CAST(LEN(d.[terms] + N'|') - LEN(REPLACE(d.[terms] + N'|', k.[pattern], SUBSTRING(k.[pattern], 2, 4000))) AS BIGINT)",
);

/** Patterns are letters, digits, marks and spaces: nothing that LIKE takes for more than itself. */
const isIn = raw("d.[terms] LIKE N'%' + k.[pattern] + N'%'");
const isMissing = raw("d.[terms] NOT LIKE N'%' + k.[pattern] + N'%'");

/** That something is so of none of some patterns. */
function none(isSo: Sql, of: readonly string[]): Sql {
  return of.length === 0 ? raw('1 = 1') : sql`NOT EXISTS (SELECT 1 FROM ${patterns(of)} WHERE ${isSo})`;
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
