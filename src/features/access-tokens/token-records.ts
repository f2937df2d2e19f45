import { type Row, columnNames } from '../../conversation/tables.js';
import type { Connection } from '../../database/connection/connection.js';
import sql, { raw, type Sql } from 'sql-template-tag';
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

/** An access token without its hash. */
export type AccessToken = Omit<Row<'access_tokens'>, 'tokenHash'>;

/** The stored access tokens. */
export class AccessTokenRecords {
  readonly #sql: ReturnType<typeof accessTokenStatements>;

  constructor(private readonly connection: Connection) {
    this.#sql = accessTokenStatements(connection.sql.differences);
  }

  /**
   * Adds a token, with a later time than the others of its user. Servers that add tokens of one user at the same time may exceed the
   * limit by their number.
   * @returns null when the user has `limit` tokens
   */
  add(added: Row<'access_tokens'>, limit: number): Promise<AccessToken | null> {
    const { write } = this.connection;
    return write(`access tokens of ${added.userId}`, async (tx) => {
      const others = await tx.rows<AccessToken>(this.#sql.accessTokensOf(added.userId, limit));
      if (others.length >= limit) return null;
      const { tokenHash, ...token } = {
        ...added,
        createdAt: Math.max(added.createdAt, (others[0]?.createdAt ?? 0) + 1),
      };
      await tx.run(this.#sql.insertAccessToken({ ...token, tokenHash }));
      return token;
    });
  }

  /** The token with this SHA-256 hash, also when it has expired. */
  async byHash(tokenHash: string): Promise<AccessToken | null> {
    const { read } = this.connection;
    const [row] = await read((db) => db.rows<AccessToken>(this.#sql.accessTokenByHash(tokenHash)));
    return row ?? null;
  }

  /** The existing tokens of these ids, in any order. */
  byIds(ids: readonly string[]): Promise<AccessToken[]> {
    const { read } = this.connection;
    return read((db) => db.rows<AccessToken>(this.#sql.accessTokensById(ids)));
  }

  /** Newest first. */
  ofUser(userId: string, limit: number): Promise<AccessToken[]> {
    const { read } = this.connection;
    return read((db) => db.rows<AccessToken>(this.#sql.accessTokensOf(userId, limit)));
  }

  /** Sets lastUsedAt unless it is after `before`. */
  async noteUse(id: string, usedAt: number, before: number): Promise<void> {
    const { write } = this.connection;
    await write(`access token ${id}`, (tx) => tx.run(this.#sql.noteAccessTokenUse(id, usedAt, before)));
  }

  /** Returns false when the user has no such token. */
  async remove(id: string, userId: string): Promise<boolean> {
    const { write } = this.connection;
    return (await write(`access token ${id}`, (tx) => tx.run(this.#sql.deleteAccessToken(id, userId)))) > 0;
  }
}
