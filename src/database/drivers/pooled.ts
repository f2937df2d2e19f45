/** A database server with separate pools for changes and for queries, so that neither blocks the other. */
import { DatabaseUnavailableError, TimeoutError } from '../../conversation/errors.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import { FairLimiter, type FairLimiterOptions } from '../../scheduler/fair-limiter.js';
import type { Dialect } from '../dialects/dialect.js';
import { Availability } from '../connection/availability.js';
import { PLAIN_SCOPE, type Provider, type Queryable, type Scope, type Transact } from '../connection/connection.js';
import { longReads } from '../connection/long-reads.js';
import { beforeDeadline, inSteps, type Step } from '../connection/pipeline.js';
import { retryWhileBusy } from '../connection/retry.js';
import { WriteQueue } from '../connection/write-queue.js';

export interface Pools {
  sql: Dialect;
  /** Statements on any pooled connection; an aborted signal ends the wait. */
  reader(signal: AbortSignal | undefined): Queryable;
  /** Statements on a separate connection with its own timeout. */
  healthCheckConnection: Queryable;
  /** The reason why the database refuses changes although it answers; null for other errors. */
  refusal?(error: unknown): string | null;
  takesChanges?: Provider['takesChanges'];
  form?: Scope['form'];
  outcome?: Step;
  /** Runs a transaction on its own connection: commits on success, rolls back on failure. */
  transaction: Transact;
  /** The connections of each pool, and the share that one user may use at a time. */
  poolSize: number;
  shareOfAUser?: number | undefined;
  /** Pings the server on a separate connection; settles within seconds. */
  ping(): Promise<boolean>;
  /** Ends the pending statements of an unresponsive server. */
  cutOff?(): void;
  close(): Promise<unknown>;
}

export function pooledConnection(pools: Pools): Provider {
  const { sql, reader, ping } = pools;
  // Waiters queue outside the pool, which would count the wait as a failure to connect.
  const limits = limitsOf(pools.poolSize, pools.shareOfAUser ?? 1);
  const [reads, writes] = [new FairLimiter(limits), new FairLimiter(limits)];
  const queues = new Map<string, { queue: WriteQueue; jobs: number }>();
  const availability = new Availability(ping, pools.cutOff);
  const isBusy = (error: unknown) => sql.failure(error) === 'busy';

  const explain = (error: unknown): never => {
    const failure = sql.failure(error);
    if (failure === 'timeout') throw new TimeoutError('The database took too long', { cause: error });
    if (failure !== 'unavailable') throw error;
    throw new DatabaseUnavailableError(pools.refusal?.(error) ?? 'The database cannot be reached', { cause: error });
  };

  /** Changes with the same key run one by one: they would wait for the chat's lock anyway. */
  const inTurn = async <T>(key: string, job: () => Promise<T>, caller?: Caller): Promise<T> => {
    const entry = queues.get(key) ?? { queue: new WriteQueue(isBusy), jobs: 0 };
    queues.set(key, entry);
    entry.jobs++;
    try {
      return await entry.queue.run(job, caller);
    } finally {
      if (--entry.jobs === 0) queues.delete(key);
    }
  };

  const read: Provider['read'] = (query, caller) =>
    availability
      .guard((isGivenUp) =>
        reads.run(caller, () => retryWhileBusy(() => unless(isGivenUp, () => query(reader(caller?.signal))), isBusy)),
      )
      .catch(explain);
  return {
    sql,
    scope: { ...PLAIN_SCOPE, form: pools.form },
    lost: null,
    read,
    // The server may have no connection left, while the open ones work.
    probe: (query) => query(pools.healthCheckConnection).catch(() => read(query)),
    // The server does the work.
    long: longReads((statement, caller) => read((db) => db.rows(statement), caller)),
    ...inSteps(
      {
        deadline: beforeDeadline,
        failure: (next) => (job) => next(job).catch(explain),
        guard: (next) => (job) => availability.guard((isGivenUp) => next({ ...job, isGivenUp })),
        turn: (next) => (job) => inTurn(job.key, () => next(job), job.caller),
        connection: (next) => (job) => writes.run(job.caller, () => unless(job.isGivenUp, () => next(job))),
        outcome: pools.outcome,
      },
      pools.transaction,
    ),
    takesChanges: pools.takesChanges ?? (() => Promise.resolve(true)),
    pools: () => [
      { name: 'read', ...reads.load },
      { name: 'write', ...writes.load },
    ],
    emptyLog: () => Promise.resolve(true),
    close: async () => {
      await Promise.all([...queues.values()].map(({ queue }) => queue.run(() => Promise.resolve())));
      await pools.close();
    },
  };
}

/** The limits of a pool whose connections users share. */
export function limitsOf(poolSize: number, shareOfAUser: number): FairLimiterOptions {
  return { concurrency: poolSize, perUser: Math.max(1, Math.floor(poolSize * shareOfAUser)) };
}

/** The caller has already received an error, so the job must not start. */
export function unless<T>(isGivenUp: (() => boolean) | undefined, job: () => Promise<T>): Promise<T> {
  return isGivenUp?.() ? Promise.reject(new DatabaseUnavailableError('The database does not respond')) : job();
}
