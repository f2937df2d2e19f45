import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { retentionStatements } from '../../../src/features/retention/statements.js';
import { rowOf } from '../../support/database/row-of.js';

const hold = { ...rowOf('legal_holds'), scope: 'CHAT' } as const;

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = retentionStatements(differences);
  return {
    holds: [sql.holds(['c'], ['u'])],
    insertHold: [sql.insertHold(hold)],
    deleteHold: [sql.deleteHold(hold)],
    lockDeletion: [sql.lockDeletion('c')],
    retentionOf: [sql.retentionOf('u')],
    insertRetentions: [sql.insertRetentions([rowOf('user_retention')])],
    deleteRetentionOf: [sql.deleteRetentionOf('u')],
    expiredChats: [null, { id: 'c', updatedAt: 1 }].flatMap((after) =>
      [null, 'u'].map((userId) => sql.expiredChats({ before: 9, userId, after }, 9)),
    ),
  };
}

/** Those of them that touch several partitions, with the reason. */
export const ACROSS_CHATS = { expiredChats: 'sweeps all chats' };

/** The others. */
export function otherStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = retentionStatements(differences);
  return {
    holdPage: [null, { scope: 'USER', targetId: "u'" } as const].flatMap((at) => [
      sql.holdPage({ after: at, before: null }, 'first', 1001),
      sql.holdPage({ after: null, before: at }, 'last', 9),
    ]),
    heldChatOf: [sql.heldChatOf("u'")],
    heldChatBy: [sql.heldChatBy("u'")],
    retentions: ['', "u'"].map((after) => sql.retentions(after, 100)),
  };
}
