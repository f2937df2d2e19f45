import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { webhookStatements } from '../../../src/features/webhooks/statements.js';
import { rowOf } from '../../support/database/row-of.js';

const delivery = { ...rowOf('webhook_deliveries'), type: 'chat.created', state: 'PENDING' } as const;

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

/** The others. */
export function otherStatements({ differences }: Dialect): Record<string, Sql[]> {
  const sql = webhookStatements(differences);
  return {
    deliveries: [
      sql.deliveries({ webhook: null, state: null }, { after: null, before: null }, 'first', 21),
      sql.deliveries({ webhook: 'hook', state: 'FAILED' }, { after: "w'", before: 'w' }, 'last', 21),
    ],
  };
}
