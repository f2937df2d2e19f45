/** Search, on SQLite. */
import sql, { empty } from 'sql-template-tag';
import type { HitRequest } from '../dialect.js';
import { bestHits, SCORE } from '../hit-order.js';
import type { SearchStatements } from '../dialect.js';
import { list } from './fragments.js';

export const searchStatements: SearchStatements = {
  // The index tells which texts have all the words; whether they have the patterns, the texts themselves. The limit keeps
  // n, which is used twice, from being worked out twice.
  hits: (request) => sql`
    WITH scored("messageId", "chatId", "createdAt", "seq", score) AS (
      SELECT d."messageId", d."chatId", d."createdAt", d."seq", (
        SELECT sum(${SCORE})
        FROM (
          SELECT octet_length(d."terms") - octet_length(replace(d."terms", value, substr(value, 2))) AS n
          FROM ${list(request.required)} LIMIT -1
        )
      )
      FROM messages_fts CROSS JOIN message_texts d ON d."id" = messages_fts.rowid
      WHERE messages_fts MATCH ${ftsQuery(request)}
        AND d."chatId" NOT IN (SELECT "id" FROM chats WHERE "userId" = '')
        AND NOT EXISTS (SELECT 1 FROM ${list(request.required)} WHERE instr(d."terms", value) = 0)
        ${request.excluded.length === 0 ? empty : sql`AND NOT EXISTS (SELECT 1 FROM ${list(request.excluded)} WHERE instr(d."terms", value) > 0)`}
        ${request.names === null ? empty : sql`AND d."name" IN (SELECT value FROM ${list(request.names)})`}
    )
    ${bestHits(request)}`,

  // What was removed stays in it until its parts are merged.
  tidySearch: (pages) => sql`INSERT INTO messages_fts (messages_fts, rank) VALUES ('merge', ${pages})`,
};

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
