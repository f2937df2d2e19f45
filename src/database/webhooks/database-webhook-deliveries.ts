import type { DeliveryState, WebhookDeliveryRecords } from '../../conversation/webhooks/delivery-records.js';
import type { WebhookDelivery } from '../../conversation/webhooks/webhook-events.js';
import type { Connection } from '../opening/connection.js';
import { positionedPage } from '../reading/positioned-page.js';

/** The write-queue key of these transactions. */
const KEY = 'webhooks';

export class DatabaseWebhookDeliveries implements WebhookDeliveryRecords {
  constructor(private readonly connection: Connection) {}

  async claim(
    webhook: string,
    { now, leaseEnd }: { now: number; leaseEnd: number },
    limit: number,
  ): Promise<WebhookDelivery[]> {
    const { sql, write } = this.connection;
    // Most of the time nothing is due, which needs no transaction.
    const due = await this.#ids(sql.dueDeliveries(webhook, now, limit));
    if (due.length === 0) return [];
    return write(KEY, async (tx) => {
      const rows = await tx.rows<WebhookDelivery>(sql.lockDueDeliveries(webhook, now, due));
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0) await tx.run(sql.leaseDeliveries(ids, leaseEnd));
      return rows.map((row) => ({ ...toDelivery(row), attempts: row.attempts + 1, dueAt: leaseEnd }));
    });
  }

  async finish(...result: Parameters<WebhookDeliveryRecords['finish']>): Promise<void> {
    const { sql, write } = this.connection;
    await write(KEY, (tx) => tx.run(sql.finishDelivery(...result)));
  }

  page(...[filter, page]: Parameters<WebhookDeliveryRecords['page']>): ReturnType<WebhookDeliveryRecords['page']> {
    const { sql, read } = this.connection;
    return positionedPage(page, {
      read: async (range, from, limit) => {
        const rows = await read((db) => db.rows<WebhookDelivery>(sql.deliveries(filter, range, from, limit)));
        return rows.map(toDelivery);
      },
      isAnythingAt: async (range) => (await this.#ids(sql.deliveries(filter, range, 'first', 1))).length > 0,
      positionOf: ({ id }) => id,
    });
  }

  async replay(webhook: string, ids: readonly string[] | null, now: number, limit: number): Promise<number> {
    const { sql, write } = this.connection;
    const chosen = ids ?? (await this.#ids(sql.failedDeliveries(webhook, limit)));
    if (chosen.length === 0) return 0;
    return write(KEY, (tx) => tx.run(sql.replayDeliveries(webhook, chosen, now)));
  }

  async removeOld(state: DeliveryState, before: number, limit: number, except?: readonly string[]): Promise<number> {
    const { sql, write } = this.connection;
    const ids = await this.#ids(sql.oldDeliveries(state, firstIdOf(before), limit, except));
    return ids.length === 0 ? 0 : write(KEY, (tx) => tx.run(sql.deleteDeliveries(ids)));
  }

  async #ids(statement: Parameters<Parameters<Parameters<Connection['read']>[0]>[0]['rows']>[0]): Promise<string[]> {
    const rows = await this.connection.read((db) => db.rows<{ id: string }>(statement));
    return rows.map(({ id }) => id);
  }
}

/** SQL Server returns BIGINT as text. */
function toDelivery(row: WebhookDelivery): WebhookDelivery {
  const { createdAt, dueAt, lastAttemptAt } = row;
  return {
    ...row,
    createdAt: Number(createdAt),
    dueAt: Number(dueAt),
    lastAttemptAt: lastAttemptAt === null ? null : Number(lastAttemptAt),
  };
}

/** A lower bound of the ids that are made from a time on: a UUID v7 begins with its time. */
function firstIdOf(time: number): string {
  const hex = time.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}
