import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { accessTokenStatements } from '../../../src/features/access-tokens/token-records.js';
import { rowOf } from '../../support/database/row-of.js';

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = accessTokenStatements(differences);
  return {
    insertAccessToken: [sql.insertAccessToken({ ...rowOf('access_tokens'), chatId: 'c' })],
    accessTokenByHash: [sql.accessTokenByHash('h')],
    accessTokensById: [sql.accessTokensById(['t'])],
    accessTokensOf: [sql.accessTokensOf('u', 9)],
    noteAccessTokenUse: [sql.noteAccessTokenUse('t', 9, 1)],
    deleteAccessToken: [sql.deleteAccessToken('t', 'u')],
  };
}
