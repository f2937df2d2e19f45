import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { webhookStatements } from '../../../src/features/webhooks/statements.js';

const delivery = {
  id: 'w',
  webhook: 'hook',
  type: 'chat.created',
  chatId: 'c',
  seq: 1,
  userId: 'u',
  actorId: 'u',
  ids: '{}',
  createdAt: 0,
  state: 'PENDING',
  attempts: 1,
  dueAt: 9,
  lastAttemptAt: null,
  lastStatus: 200,
  lastError: null,
} as const;

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = webhookStatements(differences);
  return {
    insertDeliveries: [sql.insertDeliveries([delivery])],
    dueDeliveries: [sql.dueDeliveries('hook', 9, 9)],
    lockDueDeliveries: [sql.lockDueDeliveries('hook', 9, ['w'])],
    leaseDeliveries: [sql.leaseDeliveries(['w'], 9)],
    finishDelivery: [sql.finishDelivery(delivery, { ...delivery, state: 'DELIVERED' })],
    failedDeliveries: [sql.failedDeliveries('hook', 9)],
    replayDeliveries: [sql.replayDeliveries('hook', ['w'], 9)],
    oldDeliveries: [sql.oldDeliveries('PENDING', 'w', 9), sql.oldDeliveries('PENDING', 'w', 9, ['hook'])],
    deleteDeliveries: [sql.deleteDeliveries(['w'])],
  };
}
