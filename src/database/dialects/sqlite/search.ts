import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { SearchStatements } from '../dialect.js';
import type { CandidateRequest } from '../requests.js';
import { SCORE } from '../hit-order.js';
import { list } from './differences.js';

export const searchStatements: SearchStatements = {
  // octet_length reads the row's header. The index orders rows by time of saving.
  candidates(request) {
    const { names, createdAfter = null, createdBefore = null, before, limit } = request;
    const query = ftsQuery(request);
    const [source, id] =
      query === null
        ? [sql`message_texts d WHERE true`, raw('d."id"')]
        : [
            sql`messages_fts CROSS JOIN message_texts d ON d."id" = messages_fts.rowid WHERE messages_fts MATCH ${query}`,
            raw('messages_fts.rowid'),
          ];
    return sql`
      SELECT d."id", d."chatId", octet_length(d."terms") AS bytes
      FROM ${source}
        ${before === null ? empty : sql`AND ${id} < ${before}`}
        AND d."chatId" NOT IN (SELECT "id" FROM chats WHERE "userId" = '')
        ${names === null ? empty : sql`AND d."name" IN (SELECT value FROM ${list(names)})`}
        ${createdAfter === null ? empty : sql`AND d."createdAt" > ${createdAfter}`}
        ${createdBefore === null ? empty : sql`AND d."createdAt" < ${createdBefore}`}
      ORDER BY ${id} DESC LIMIT ${limit}`;
  },

  // LIMIT -1 keeps n, which is used twice, from being computed twice.
  hits: (ids, { required, excluded }) => sql`
    SELECT d."id", d."messageId", d."chatId", d."createdAt", d."seq", (
      SELECT sum(${SCORE})
      FROM (
        SELECT octet_length(d."terms") - octet_length(replace(d."terms", value, substr(value, 2))) AS n
        FROM ${list(required)} LIMIT -1
      )
    ) AS score
    FROM ${list(ids)} k CROSS JOIN message_texts d ON d."id" = k.value
    WHERE ${none('missing', required)} AND ${none('found', excluded)}`,

  lastText: sql`SELECT max("id") AS id FROM message_texts`,

  owners: {
    texts: (chatId, after, limit) => sql`
      SELECT "id", octet_length("terms") AS bytes FROM message_texts
      WHERE "chatId" = ${chatId} AND "id" > ${after} ORDER BY "id" LIMIT ${limit}`,

    index: (chatId, userId, { first, last }) => sql`
      REPLACE INTO messages_fts (rowid, "scope", "terms")
      SELECT "id", ${`c${hex(chatId)} u${hex(userId)}`}, "terms" FROM message_texts
      WHERE "chatId" = ${chatId} AND "id" BETWEEN ${first} AND ${last}`,
  },

  // Deleted entries stay in the index until its segments are merged.
  tidySearch: (pages) => sql`INSERT INTO messages_fts (messages_fts, rank) VALUES ('merge', ${pages})`,
};

/** None of some patterns is missing in a text d, or none is found. */
function none(is: 'missing' | 'found', patterns: readonly string[]): Sql {
  if (patterns.length === 0) return raw('true');
  const place = raw(is === 'missing' ? '= 0' : '> 0');
  return sql`NOT EXISTS (SELECT 1 FROM ${list(patterns)} WHERE instr(d."terms", value) ${place})`;
}

/** FTS5 syntax with every word quoted: words are letters and digits, but some are operators. Null: all texts. */
function ftsQuery({ index, chatIds, userId, sharedIds = [] }: CandidateRequest): string | null {
  const ofChats = (ids: readonly string[]) => ids.map((chatId) => `scope:"c${hex(chatId)}"`);
  const scope = [
    ...(chatIds === null ? [] : [`(${ofChats(chatIds).join(' OR ')})`]),
    ...(userId === null ? [] : [`(${[`scope:"u${hex(userId)}"`, ...ofChats(sharedIds)].join(' OR ')})`]),
  ];
  const words = index.map(({ term, isPrefix }) => `terms:"${term}"${isPrefix ? ' *' : ''}`);
  return scope.length + words.length === 0 ? null : [...scope, ...words].join(' AND ');
}

/** Like hex(), in lower case, which the index ignores. */
function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}
