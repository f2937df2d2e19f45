/** The stored access tokens, implemented in src/database. */
import type { Row } from '../tables.js';

/** An access token without its hash. */
export type AccessToken = Omit<Row<'access_tokens'>, 'tokenHash'>;

export interface AccessTokenRecords {
  /**
   * Adds a token. Servers that add tokens of one user at the same time may exceed the limit by their number.
   * @returns false when the user has `limit` tokens
   */
  add(token: Row<'access_tokens'>, limit: number): Promise<boolean>;
  /** The token with this SHA-256 hash, also when it has expired. */
  byHash(tokenHash: string): Promise<AccessToken | null>;
  /** The existing tokens of these ids, in any order. */
  byIds(ids: readonly string[]): Promise<AccessToken[]>;
  /** Newest first. */
  ofUser(userId: string, limit: number): Promise<AccessToken[]>;
  /** Sets lastUsedAt unless it is after `before`. */
  noteUse(id: string, usedAt: number, before: number): Promise<void>;
  /** Returns false when the user has no such token. */
  remove(id: string, userId: string): Promise<boolean>;
}
