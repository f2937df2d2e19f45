import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { sessionStatements } from '../../../src/features/sessions/session-records.js';
import { rowOf } from '../../support/database/row-of.js';

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = sessionStatements(differences);
  return {
    insertSession: [sql.insertSession(rowOf('page_sessions'))],
    sessionByHash: [sql.sessionByHash('h')],
    sessionsById: [sql.sessionsById(['s'])],
    sessionsOf: [sql.sessionsOf('u')],
    expiredSessions: [sql.expiredSessions(9, 9)],
    deleteSessions: [sql.deleteSessions(['s'])],
  };
}
