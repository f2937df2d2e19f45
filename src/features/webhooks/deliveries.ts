/** The stored deliveries of webhooks: written with a change, leased for each attempt, and removed after some days. */
import type { Sql } from 'sql-template-tag';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import { webhookStatements, type AttemptResult, type DeliveryFilter, type DeliveryState } from './statements.js';
import type { WebhookDelivery } from './webhook-events.js';
import type { Connection } from '../../database/connection/connection.js';
import { positionedPage } from '../../database/reading/positioned-page.js';

/** The write-queue key of these transactions. */
const KEY = 'webhooks';

export class WebhookDeliveries {
  readonly #sql: ReturnType<typeof webhookStatements>;

  constructor(private readonly connection: Pick<Connection, 'sql' | 'read' | 'write'>) {
    this.#sql = webhookStatements(connection.sql.differences);
  }

  /** Written with the change. */
  insert(rows: readonly WebhookDelivery[]): Sql {
    return this.#sql.insertDeliveries(rows);
  }

  /**
   * Leases due deliveries until a time, and counts an attempt of each. A lease that ends makes them due again.
   * @returns their rows with the new count
   */
  async claim(
    webhook: string,
    { now, leaseEnd }: { now: number; leaseEnd: number },
    limit: number,
  ): Promise<WebhookDelivery[]> {
    const { write } = this.connection;
    const sql = this.#sql;
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

  /** Writes the result of an attempt, unless another server has claimed the delivery since. */
  async finish(claimed: Pick<WebhookDelivery, 'id' | 'attempts'>, result: AttemptResult): Promise<void> {
    await this.connection.write(KEY, (tx) => tx.run(this.#sql.finishDelivery(claimed, result)));
  }

  /** Newest first; the position is the id. */
  page(filter: DeliveryFilter, page: PageRequest<string>): Promise<Omit<Slice<WebhookDelivery>, 'totalCount'>> {
    const { read } = this.connection;
    const sql = this.#sql;
    return positionedPage(page, {
      read: async (range, from, limit) => {
        const rows = await read((db) => db.rows<WebhookDelivery>(sql.deliveries(filter, range, from, limit)));
        return rows.map(toDelivery);
      },
      positionOf: ({ id }) => id,
    });
  }

  /**
   * Makes ended deliveries of a webhook due again, with all attempts.
   * @param ids null: the oldest failed ones
   * @returns their number
   */
  async replay(webhook: string, ids: readonly string[] | null, now: number, limit: number): Promise<number> {
    const { write } = this.connection;
    const sql = this.#sql;
    const chosen = ids ?? (await this.#ids(sql.failedDeliveries(webhook, limit)));
    if (chosen.length === 0) return 0;
    return write(KEY, (tx) => tx.run(sql.replayDeliveries(webhook, chosen, now)));
  }

  /**
   * Deletes old deliveries of a state, at most `limit`.
   * @param except webhooks whose deliveries are kept
   * @returns their number
   */
  async removeOld(state: DeliveryState, before: number, limit: number, except?: readonly string[]): Promise<number> {
    const { write } = this.connection;
    const sql = this.#sql;
    const ids = await this.#ids(sql.oldDeliveries(state, firstIdOf(before), limit, except));
    return ids.length === 0 ? 0 : write(KEY, (tx) => tx.run(sql.deleteDeliveries(ids)));
  }

  async #ids(statement: Sql): Promise<string[]> {
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
