/** Access tokens of users: see access-tokens.ts. */
import sql, { raw, type Sql } from 'sql-template-tag';
import { columnNames, type Row } from '../../conversation/tables.js';
import type { Differences } from '../../database/dialects/differences.js';
import { columnsOf, insertRows } from '../../database/dialects/base/fragments.js';

export function accessTokenStatements(d: Differences) {
  const tokens = d.table('access_tokens');
  const columns = columnsOf('t', columnNames('access_tokens', ['tokenHash']));

  return {
    insertAccessToken: (row: Row<'access_tokens'>): Sql => insertRows(d, 'access_tokens', [row]),
    /** At most one row, without the hash. */
    accessTokenByHash: (tokenHash: string): Sql =>
      sql`SELECT ${columns} FROM ${tokens} t WHERE t."tokenHash" = ${tokenHash}`,
    /** The existing tokens of these ids. */
    accessTokensById: (ids: readonly string[]): Sql =>
      sql`SELECT ${columns} FROM ${tokens} t WHERE ${d.isOneOf(raw('t."id"'), ids)}`,
    /** The tokens of a user, newest first. */
    accessTokensOf: (userId: string, limit: number): Sql => sql`
      SELECT ${columns} FROM ${tokens} t WHERE t."userId" = ${userId} ORDER BY t."createdAt" DESC, t."id" DESC ${d.part(limit, 0)}`,
    /** Changes one row, or none when it was used after `before`. */
    noteAccessTokenUse: (id: string, usedAt: number, before: number): Sql => sql`
      UPDATE ${tokens} SET "lastUsedAt" = ${d.number(usedAt)}
      WHERE "id" = ${id} AND ("lastUsedAt" IS NULL OR "lastUsedAt" <= ${d.number(before)})`,
    deleteAccessToken: (id: string, userId: string): Sql =>
      sql`DELETE FROM ${tokens} WHERE "id" = ${id} AND "userId" = ${userId}`,
  };
}
