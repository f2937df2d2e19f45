import type { Row } from '../../conversation/tables.js';
import type { Connection } from '../../database/connection/connection.js';
import { accessTokenStatements } from './statements.js';

/** An access token without its hash. */
export type AccessToken = Omit<Row<'access_tokens'>, 'tokenHash'>;

/** The stored access tokens. */
export class AccessTokenRecords {
  readonly #sql: ReturnType<typeof accessTokenStatements>;

  constructor(private readonly connection: Connection) {
    this.#sql = accessTokenStatements(connection.sql.differences);
  }

  /**
   * Adds a token. Servers that add tokens of one user at the same time may exceed the limit by their number.
   * @returns false when the user has `limit` tokens
   */
  add(token: Row<'access_tokens'>, limit: number): Promise<boolean> {
    const { write } = this.connection;
    return write(`access tokens of ${token.userId}`, async (tx) => {
      if ((await tx.rows(this.#sql.accessTokensOf(token.userId, limit))).length >= limit) return false;
      await tx.run(this.#sql.insertAccessToken(token));
      return true;
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
