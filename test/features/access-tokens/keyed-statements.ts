import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { accessTokenStatements } from '../../../src/features/access-tokens/statements.js';

const accessToken = {
  id: 't',
  userId: 'u',
  name: 'x',
  scopes: 'READ',
  chatId: 'c',
  tokenHash: 'h',
  createdAt: 0,
  lastUsedAt: null,
  expiresAt: null,
};

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = accessTokenStatements(differences);
  return {
    insertAccessToken: [sql.insertAccessToken(accessToken)],
    accessTokenByHash: [sql.accessTokenByHash('h')],
    accessTokensById: [sql.accessTokensById(['t'])],
    accessTokensOf: [sql.accessTokensOf('u', 9)],
    noteAccessTokenUse: [sql.noteAccessTokenUse('t', 9, 1)],
    deleteAccessToken: [sql.deleteAccessToken('t', 'u')],
  };
}
