import type pg from 'pg';
import type { Sql } from 'sql-template-tag';
import type { Queryable } from '../connection/connection.js';
import { isAborted } from '../dialects/postgresql/failure.js';

/** Sends a statement on one connection. */
export type Ask = (statement: Sql) => Promise<pg.QueryResult<object>>;

/**
 * A pipelined transaction: BEGIN is sent with the first statement, COMMIT with the last ones. After a failed statement
 * the server rejects the rest and commits nothing.
 */
export class PostgresqlTransaction implements Queryable {
  #hasBegun = false;
  /** The error of the first statement that failed; undefined without one. */
  #failure: unknown;
  readonly last: Sql[] = [];

  /** @param ask sends to this client, which must support pipelining (`pipeline`) */
  constructor(
    private readonly client: pg.PoolClient,
    private readonly ask: Ask,
  ) {}

  async rows<T extends object>(statement: Sql): Promise<T[]> {
    return (await this.#ask(statement)).rows as T[];
  }

  async run(statement: Sql): Promise<number> {
    return (await this.#ask(statement)).rowCount ?? 0;
  }

  async commit(): Promise<void> {
    const answers = this.last.map((statement) => this.#ask(statement));
    if (!this.#hasBegun) return;
    const [{ command }] = await Promise.all([this.client.query('COMMIT'), ...answers]);
    // The server responds so when an earlier statement failed and its error was ignored.
    if (command === 'ROLLBACK') {
      throw new Error('a statement of the transaction had failed, and nothing was changed', { cause: this.#failure });
    }
  }

  /** @returns whether the connection is reusable */
  async rollBack(): Promise<boolean> {
    if (!this.#hasBegun) return true;
    return this.client.query('ROLLBACK').then(
      () => true,
      () => false,
    );
  }

  async #ask(statement: Sql): Promise<pg.QueryResult<object>> {
    if (this.#hasBegun) return this.#send(statement);
    this.#hasBegun = true;
    const [, answer] = await Promise.all([this.client.query('BEGIN'), this.#send(statement)]);
    return answer;
  }

  /** The statements that the pipeline contains after a failed one fail as its consequence: they report its error. */
  #send(statement: Sql): Promise<pg.QueryResult<object>> {
    return this.ask(statement).catch((error: unknown) => {
      this.#failure ??= error;
      throw isAborted(error) ? this.#failure : error;
    });
  }
}
