/** Search, on SQLite. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { HitRequest, SearchStatements } from '../dialect.js';
import { bestHits, hasSeveralLists, phrases, SCORE } from '../hit-order.js';
import { list } from './fragments.js';

export const searchStatements: SearchStatements = {
  hits: (request) => bestHits(matches(request), request),

  // What was removed stays in it until its parts are merged.
  tidySearch: (pages) => sql`INSERT INTO messages_fts (messages_fts, rank) VALUES ('merge', ${pages})`,
};

/**
 * The index tells which texts have all the words, the last one first, and the texts decide, one by one, until enough have
 * the patterns. LIMIT -1 keeps n and score, which are used twice, from being worked out twice.
 */
function matches(request: HitRequest): Sql {
  const { required, excluded, names, ranked } = request;
  return sql`
    SELECT * FROM (
      SELECT d."id", d."messageId", d."chatId", d."createdAt", d."seq", (
        SELECT iif(min(n) > 0, sum(${SCORE}), 0)
        FROM (
          SELECT octet_length(d."terms") - octet_length(replace(d."terms", value, substr(value, 2))) AS n
          FROM ${list(required)} LIMIT -1
        )
      ) AS score
      FROM messages_fts CROSS JOIN message_texts d ON d."id" = messages_fts.rowid
      WHERE messages_fts MATCH ${ftsQuery(request)}
        AND d."chatId" NOT IN (SELECT "id" FROM chats WHERE "userId" = '')
        ${names === null ? empty : sql`AND d."name" IN (SELECT value FROM ${list(names)})`}
        ${andNone('missing', phrases(required))}
        ${andNone('found', excluded)}
      ORDER BY messages_fts.rowid DESC LIMIT -1
    )
    WHERE score > 0 LIMIT ${hasSeveralLists(request) ? -1 : ranked}`;
}

/** That of some patterns none is missing in a text d, or none is found. */
function andNone(is: 'missing' | 'found', patterns: readonly string[]): Sql {
  if (patterns.length === 0) return empty;
  const place = raw(is === 'missing' ? '= 0' : '> 0');
  return sql`AND NOT EXISTS (SELECT 1 FROM ${list(patterns)} WHERE instr(d."terms", value) ${place})`;
}

/** In the language of FTS5, every word quoted: they are letters and digits, and some are operators there. */
function ftsQuery({ index, chatIds, userId }: HitRequest): string {
  const scope = [
    ...(chatIds === null ? [] : [`(${chatIds.map((chatId) => `scope:"c${hex(chatId)}"`).join(' OR ')})`]),
    ...(userId === null ? [] : [`scope:"u${hex(userId)}"`]),
  ];
  const words = index.map(({ term, isPrefix }) => `terms:"${term}"${isPrefix ? ' *' : ''}`);
  return [...scope, ...words].join(' AND ');
}

/** As hex() does it, save for the case, which does not matter to the index. */
function hex(text: string): string {
  return Buffer.from(text).toString('hex');
}
