/** Shares of paths: see shares.ts. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../conversation/chat-scoped.js';
import { columnNames, type Row } from '../../conversation/tables.js';
import type { Differences } from '../../database/dialects/differences.js';
import { columnsOf, fragmentsOf, insertRows, isThere } from '../../database/dialects/base/fragments.js';

export function shareStatements(d: Differences) {
  const f = fragmentsOf(d);
  const shares = d.table('shares');
  const columns = columnsOf('s', columnNames('shares', ['tokenHash']));

  return {
    insertShare: (row: Row<'shares'>): Sql => insertRows(d, 'shares', [row]),
    /** Rows { n } with the columns of shares, without their hashes, in any order. */
    sharesOf(chatIds: readonly string[]): Sql {
      const k = f.chats(chatIds);
      return sql`
      SELECT ${k.n} AS "n", ${columns} FROM ${k.from} ${d.lookUp('shares', 's', sql`s."chatId" = ${k.id}`)}`;
    },
    /** At most one row, without the hash. */
    shareById: (id: string): Sql => sql`SELECT ${columns} FROM ${shares} s WHERE s."id" = ${id}`,
    /** At most one row, with the depth of its last message. Shares of chats that are being deleted are skipped. */
    shareByHash: (tokenHash: string): Sql => sql`
      SELECT ${columns}, m."depth" AS "depth" FROM ${shares} s
      JOIN ${d.table('chats')} c ON c."id" = s."chatId" AND ${isThere}
      ${f.message('m', { id: raw('s."messageId"'), chatId: raw('s."chatId"') })}
      WHERE s."tokenHash" = ${tokenHash}`,
    deleteShare: ({ chatId, id }: ChatScoped): Sql =>
      sql`DELETE FROM ${shares} WHERE "chatId" = ${chatId} AND "id" = ${id}`,
  };
}
