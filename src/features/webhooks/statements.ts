/** Deliveries of webhooks: their ids are ordered by time. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { columnNames } from '../../conversation/tables.js';
import type { WebhookDelivery } from './webhook-events.js';
import type { Differences } from '../../database/dialects/differences.js';
import { columnsOf } from '../../database/dialects/base/fragments.js';

export type DeliveryState = 'PENDING' | 'DELIVERED' | 'FAILED';

/** The result of an attempt; `attempts` is the new count. */
export type AttemptResult = Pick<
  WebhookDelivery,
  'attempts' | 'dueAt' | 'lastAttemptAt' | 'lastStatus' | 'lastError'
> & { readonly state: DeliveryState };

/** Null: all. */
export interface DeliveryFilter {
  readonly webhook: string | null;
  readonly state: DeliveryState | null;
}

/** Positions of a list, both exclusive. */
export interface DeliveryRange {
  after: string | null;
  before: string | null;
}

export function webhookStatements(d: Differences) {
  const deliveries = d.table('webhook_deliveries');
  const columns = columnsOf('w', columnNames('webhook_deliveries'));
  const isDue = (webhook: string, now: number): Sql =>
    sql`w."webhook" = ${webhook} AND w."state" = 'PENDING' AND w."dueAt" <= ${d.number(now)}`;

  return {
    insertDeliveries: (rows: readonly WebhookDelivery[]): Sql => d.insert('webhook_deliveries', rows),
    /** Rows { id } of due deliveries, without a lock. */
    dueDeliveries: (webhook: string, now: number, limit: number): Sql => sql`
      SELECT w."id" FROM ${deliveries} w WHERE ${isDue(webhook, now)} ORDER BY w."dueAt", w."id" ${d.part(limit, 0)}`,
    /** Those of these deliveries that are still due, locked. */
    lockDueDeliveries: (webhook: string, now: number, ids: readonly string[]): Sql => sql`
      SELECT ${columns} FROM ${deliveries} w ${d.lock.table}
      WHERE ${isDue(webhook, now)} AND ${d.isOneOf(raw('w."id"'), ids)} ${d.lock.statement}`,
    leaseDeliveries: (ids: readonly string[], leaseEnd: number): Sql => sql`
      UPDATE ${deliveries} SET "attempts" = "attempts" + 1, "dueAt" = ${d.number(leaseEnd)}
      WHERE ${d.isOneOf(raw('"id"'), ids)}`,
    /** Changes one row, or none when the delivery was claimed again. */
    finishDelivery: ({ id, attempts }: Pick<WebhookDelivery, 'id' | 'attempts'>, result: AttemptResult): Sql => sql`
      UPDATE ${deliveries} SET "state" = ${result.state}, "attempts" = ${d.number(result.attempts)},
        "dueAt" = ${d.number(result.dueAt)}, "lastAttemptAt" = ${result.lastAttemptAt},
        "lastStatus" = ${result.lastStatus}, "lastError" = ${result.lastError}
      WHERE "id" = ${id} AND "state" = 'PENDING' AND "attempts" = ${d.number(attempts)}`,
    /** Newest first, or oldest first from the end. */
    deliveries: (
      { webhook, state }: DeliveryFilter,
      { after, before }: DeliveryRange,
      from: 'first' | 'last',
      limit: number,
    ): Sql => {
      const conditions = [
        sql`1 = 1`,
        ...(webhook === null ? [] : [sql`w."webhook" = ${webhook}`]),
        ...(state === null ? [] : [sql`w."state" = ${state}`]),
        ...(after === null ? [] : [sql`w."id" < ${after}`]),
        ...(before === null ? [] : [sql`w."id" > ${before}`]),
      ];
      return sql`
      SELECT ${columns} FROM ${deliveries} w WHERE ${join(conditions, ' AND ')}
      ORDER BY w."id" ${raw(from === 'first' ? 'DESC' : 'ASC')} ${d.part(limit, 0)}`;
    },
    /** Rows { id } of the oldest failed deliveries of a webhook. */
    failedDeliveries: (webhook: string, limit: number): Sql => sql`
      SELECT w."id" FROM ${deliveries} w WHERE w."state" = 'FAILED' AND w."webhook" = ${webhook}
      ORDER BY w."id" ${d.part(limit, 0)}`,
    replayDeliveries: (webhook: string, ids: readonly string[], now: number): Sql => sql`
      UPDATE ${deliveries} SET "state" = 'PENDING', "attempts" = 0, "dueAt" = ${d.number(now)}
      WHERE "webhook" = ${webhook} AND "state" <> 'PENDING' AND ${d.isOneOf(raw('"id"'), ids)}`,
    /** Rows { id } of the oldest deliveries of a state, up to an id. */
    oldDeliveries: (state: DeliveryState, before: string, limit: number, except: readonly string[] = []): Sql => sql`
      SELECT w."id" FROM ${deliveries} w WHERE w."state" = ${state} AND w."id" < ${before}
      ${except.length === 0 ? empty : sql`AND NOT (${d.isOneOf(raw('w."webhook"'), except)})`}
      ORDER BY w."id" ${d.part(limit, 0)}`,
    deleteDeliveries: (ids: readonly string[]): Sql =>
      sql`DELETE FROM ${deliveries} WHERE ${d.isOneOf(raw('"id"'), ids)}`,
  };
}
