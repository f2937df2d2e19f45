/** The stored retention of users, beside that of the server. */
import type { Row } from '../../conversation/tables.js';
import type { Connection } from '../../database/opening/connection.js';
import { replaceRow } from '../../database/opening/retry-duplicate.js';
import { retentionStatements } from './statements.js';

export interface Retention {
  /** The setting of the user; null without one. */
  readonly ownDays: number | null;
  /** The setting of the server; null without one. */
  readonly serverDays: number | null;
}

export class UserRetentions {
  readonly sql: ReturnType<typeof retentionStatements>;

  /** @param serverDays days after the last change of a chat until it is deleted; null without a setting of the server */
  constructor(
    private readonly connection: Pick<Connection, 'sql' | 'read' | 'write'>,
    readonly serverDays: number | null,
  ) {
    this.sql = retentionStatements(connection.sql.differences);
  }

  get read(): Connection['read'] {
    return this.connection.read;
  }

  async of(userId: string): Promise<Retention> {
    const [row] = await this.read((db) => db.rows<Pick<Row<'user_retention'>, 'days'>>(this.sql.retentionOf(userId)));
    return { ownDays: row?.days ?? null, serverDays: this.serverDays };
  }

  /** Sets the days of a user; null removes them. */
  set(userId: string, days: number | null): Promise<void> {
    return replaceRow(this.connection, `retention ${userId}`, {
      remove: this.sql.deleteRetentionOf(userId),
      insert: days === null ? null : this.sql.insertRetentions([{ userId, days }]),
    });
  }
}
