import type Database from 'better-sqlite3';
import type { Sql } from 'sql-template-tag';
import type { Job, Queryable } from '../connection/connection.js';
import { TurnBudget } from '../../scheduler/turn-budget.js';
import { inScope } from '../connection/pipeline.js';
import type { StatementDetails, ReportStatement } from '../connection/observed-statement.js';

/** Prepared statements per connection: more than the dialect usually has. */
const MAX_PREPARED = 500;

/**
 * One SQLite connection with a cache of prepared statements, because preparing takes longer than running. All calls are
 * synchronous.
 */
export class SqliteSession implements Queryable {
  readonly #prepared = new Map<string, Database.Statement>();

  /** @param kind reported with its statements */
  constructor(
    private readonly database: Database.Database,
    private readonly kind: StatementDetails['kind'],
    private readonly report?: ReportStatement,
  ) {}

  rows<T extends object>(statement: Sql): Promise<T[]> {
    return this.#call('all', statement) as Promise<T[]>;
  }

  async run(statement: Sql): Promise<number> {
    return ((await this.#call('run', statement)) as Database.RunResult).changes;
  }

  /** Reports a statement as `observed` does, without waiting. */
  async #call(method: 'all' | 'run', { sql: text, values }: Sql): Promise<unknown> {
    const began = performance.now();
    let hasFailed = true;
    try {
      const answer: unknown = this.#prepare(text)[method](values);
      hasFailed = false;
      return answer;
    } finally {
      this.report?.(text, { kind: this.kind, durationMs: performance.now() - began, hasFailed });
    }
  }

  /**
   * Locks the file first: a transaction that upgrades from read to write fails when another process has written.
   * Readers run between its statements.
   */
  readonly transaction = async <T>(job: Pick<Job<T>, 'work' | 'deadline' | 'enter'>): Promise<T> => {
    const last: Sql[] = [];
    this.#prepare('BEGIN IMMEDIATE').run();
    try {
      const { yieldIfDue } = new TurnBudget();
      const begun = { db: this, last, yieldIfDue, isPipelined: false, directory: undefined };
      const result = await inScope(begun, job);
      for (const statement of last) {
        await yieldIfDue();
        await this.run(statement);
      }
      this.#prepare('COMMIT').run();
      return result;
    } catch (error) {
      // Some failures, such as a full disk, have already rolled back.
      if (this.database.inTransaction) this.#prepare('ROLLBACK').run();
      throw error;
    }
  };

  close(): void {
    this.database.close();
  }

  #prepare(text: string): Database.Statement {
    let prepared = this.#prepared.get(text);
    if (prepared === undefined) {
      if (this.#prepared.size === MAX_PREPARED) this.#prepared.clear();
      prepared = this.database.prepare(text);
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }
}
