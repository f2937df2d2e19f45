/**
 * The steps around each transaction, in one order for all databases. Inside, DatabaseStore runs the rule of a change and
 * the hooks of features: see change-hooks.ts.
 */
import type { Sql } from 'sql-template-tag';
import type { Directory, Job, Provider, Queryable, Transact } from './connection.js';

/** The steps, from the outside to the inside. Each database has those that it needs. */
const STEPS = [
  /** Fails after a newer version's breaking migration. Inside is the SQLite file that was reopened last. */
  'upgrade',
  /** Ends at the deadline of the operation, unless the commit has begun. */
  'deadline',
  /** Replaces errors of the driver by those that operations return. */
  'failure',
  /** Fails as soon as a SQLite file is lost, or a server does not respond. */
  'guard',
  /** Waits in fair order for earlier transactions of the chat or the SQLite file, and retries after conflicts. */
  'turn',
  /** Waits for a connection to the server. */
  'connection',
  /** Refuses all but removals when SQLite's disk is almost full. */
  'reserve',
  /** Reports a change only if SQLite's files were the same before and after it. */
  'files',
  /** Notes whether the database takes changes, for health checks. */
  'outcome',
] as const;

export type Step = (next: Transact) => Transact;
export type Steps = { [Name in (typeof STEPS)[number]]?: Step | undefined };

/** @param transaction runs the work between BEGIN and COMMIT */
export function inSteps(steps: Steps, transaction: Transact): Pick<Provider, 'write' | 'transact'> {
  const transact = STEPS.reduceRight<Transact>((next, name) => steps[name]?.(next) ?? next, transaction);
  return { transact, write: (key, work, options) => transact({ ...options, key, work }) };
}

export const beforeDeadline: Step = (next) => (job) => job.deadline?.transaction(next, job) ?? next(job);

/** A transaction between BEGIN and COMMIT. */
interface Begun {
  db: Queryable;
  last: Sql[];
  yieldIfDue(): Promise<void>;
  isPipelined: boolean;
  directory: Directory | undefined;
}

/**
 * Runs the work of a transaction and disables it afterwards: a late statement would run outside of it, or in another
 * one. No statement starts after the deadline.
 */
export async function inScope<T>(
  { db, last, yieldIfDue, isPipelined, directory }: Begun,
  { work, deadline, enter }: Pick<Job<T>, 'work' | 'deadline' | 'enter'>,
): Promise<T> {
  let isOver = false;
  const check = () => {
    if (isOver) throw new Error('the transaction is over');
    deadline?.check();
  };
  try {
    enter?.('work');
    const result = await work({
      isPipelined,
      directory,
      yieldIfDue: async () => {
        await yieldIfDue();
        check();
      },
      // Statements in a pipeline are sent at once.
      rows: async (statement) => {
        check();
        if (!isPipelined) await yieldIfDue();
        return db.rows(statement);
      },
      run: async (statement) => {
        check();
        if (!isPipelined) await yieldIfDue();
        return db.run(statement);
      },
      runLast: (statement) => {
        check();
        last.push(statement);
      },
    });
    enter?.('commit');
    return result;
  } finally {
    isOver = true;
  }
}
