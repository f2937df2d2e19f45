import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { refusal } from '../dialects/postgresql/failure.js';

/** Bytes that a trial writes: more than the free space of the pages in use. */
const TRIAL_BYTES = 64 * 1024;

/** Tracks whether a PostgreSQL database that answers accepts changes: it may be read-only, or its disk full. */
export class PostgresqlChanges {
  /** Whether a change was refused, and no trial has succeeded since. */
  #hasFailed = false;

  /**
   * @param settings of a new connection
   * @param isReadOnly reads the state of an open connection
   */
  constructor(
    private readonly settings: pg.ClientConfig,
    private readonly isReadOnly: () => Promise<boolean>,
  ) {}

  async note<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (error) {
      this.#hasFailed ||= refusal(error) !== null;
      throw error;
    }
  }

  /** Whether a change would succeed, judged by the last ones and by a trial after a refused one. */
  async areTaken(): Promise<boolean> {
    if (!this.#hasFailed && !(await this.isReadOnly())) return true;
    this.#hasFailed = !(await this.#try());
    return !this.#hasFailed;
  }

  /** On a new connection: open ones keep their setting when default_transaction_read_only changes. */
  async #try(): Promise<boolean> {
    const client = new pg.Client(this.settings);
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('BEGIN');
      const content = randomBytes(TRIAL_BYTES).toString('base64');
      await client.query('INSERT INTO file_contents ("storageKey", "content") VALUES ($1, $2)', [
        randomUUID(),
        content,
      ]);
      await client.query('ROLLBACK');
      return true;
    } catch {
      return false;
    } finally {
      // Not awaited: closing a hanging connection does not settle.
      void client.end().catch(() => {});
    }
  }
}
