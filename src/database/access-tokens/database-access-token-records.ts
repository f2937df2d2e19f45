import type { AccessToken, AccessTokenRecords } from '../../conversation/access-tokens/access-token-records.js';
import type { Row } from '../../conversation/tables.js';
import type { Connection } from '../opening/connection.js';

export class DatabaseAccessTokenRecords implements AccessTokenRecords {
  constructor(private readonly connection: Connection) {}

  add(token: Row<'access_tokens'>, limit: number): Promise<boolean> {
    const { sql, write } = this.connection;
    return write(`access tokens of ${token.userId}`, async (tx) => {
      if ((await tx.rows(sql.accessTokensOf(token.userId, limit))).length >= limit) return false;
      await tx.run(sql.insertAccessToken(token));
      return true;
    });
  }

  async byHash(tokenHash: string): Promise<AccessToken | null> {
    const { sql, read } = this.connection;
    const [row] = await read((db) => db.rows<AccessToken>(sql.accessTokenByHash(tokenHash)));
    return row ?? null;
  }

  byIds(ids: readonly string[]): Promise<AccessToken[]> {
    const { sql, read } = this.connection;
    return read((db) => db.rows<AccessToken>(sql.accessTokensById(ids)));
  }

  ofUser(userId: string, limit: number): Promise<AccessToken[]> {
    const { sql, read } = this.connection;
    return read((db) => db.rows<AccessToken>(sql.accessTokensOf(userId, limit)));
  }

  async noteUse(id: string, usedAt: number, before: number): Promise<void> {
    const { sql, write } = this.connection;
    await write(`access token ${id}`, (tx) => tx.run(sql.noteAccessTokenUse(id, usedAt, before)));
  }

  async remove(id: string, userId: string): Promise<boolean> {
    const { sql, write } = this.connection;
    return (await write(`access token ${id}`, (tx) => tx.run(sql.deleteAccessToken(id, userId)))) > 0;
  }
}
