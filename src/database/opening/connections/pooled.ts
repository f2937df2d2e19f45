/** A database server: pools of connections, one for changes and one for queries, so that neither takes them all. */
import { DatabaseUnavailableError, TimeoutError } from '../../../conversation/errors.js';
import type { Caller } from '../../../scheduler/fair-queue.js';
import { FairLimiter } from '../../../scheduler/fair-limiter.js';
import type { Dialect } from '../../dialects/dialect.js';
import { Availability } from '../availability.js';
import type { Connection, Queryable, Transaction } from '../connection.js';
import { retryWhileBusy } from '../retry.js';
import { WriteQueue } from '../write-queue.js';

export interface Pools {
  sql: Dialect;
  /** Each statement on any connection of its pool; once the signal is aborted nobody waits for it. */
  reader(signal: AbortSignal | undefined): Queryable;
  /** The same on a connection of its own, which gives up by itself. */
  healthCheckConnection?: Queryable | undefined;
  /** Runs a transaction on a connection of its own: commits what succeeds, and rolls back what fails. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** How many connections each of the two has, and how much of them one user may have at a time. */
  poolSize: number;
  shareOfAUser?: number | undefined;
  /** Whether the server answers on a connection of its own; it settles within seconds. */
  ping(): Promise<boolean>;
  /** Ends what waits for an answer of a server that gives none. */
  cutOff?(): void;
  close(): Promise<unknown>;
}

export function pooledConnection({
  sql,
  reader,
  healthCheckConnection,
  transaction,
  ping,
  cutOff,
  close,
  ...size
}: Pools): Connection {
  // Whoever waits, waits here and not in the pool, which would count the wait as a failure to connect.
  const { poolSize, shareOfAUser = 1 } = size;
  const limits = { concurrency: poolSize, perUser: Math.max(1, Math.floor(poolSize * shareOfAUser)) };
  const [reads, writes] = [new FairLimiter(limits), new FairLimiter(limits)];
  const queues = new Map<string, { queue: WriteQueue; jobs: number }>();
  const availability = new Availability(ping, cutOff);
  const isBusy = (error: unknown) => sql.failure(error) === 'busy';

  const explain = (error: unknown): never => {
    const failure = sql.failure(error);
    if (failure === 'timeout') throw new TimeoutError('The database took too long', { cause: error });
    if (failure !== 'unavailable') throw error;
    throw new DatabaseUnavailableError('The database cannot be reached', { cause: error });
  };

  /** The changes of one key one after the other: those of a chat would wait for its lock anyway. */
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

  const read: Connection['read'] = (query, caller) =>
    availability
      .guard((isGivenUp) =>
        reads.run(caller, () => retryWhileBusy(() => unless(isGivenUp, () => query(reader(caller?.signal))), isBusy)),
      )
      .catch(explain);
  return {
    sql,
    read,
    pools: () => [
      { name: 'read', ...reads.load },
      { name: 'write', ...writes.load },
    ],
    // The server may have no connection left for that, and those that are there serve.
    ...(healthCheckConnection && { look: (query) => query(healthCheckConnection).catch(() => read(query)) }),
    // The work is the server's.
    readLong: (statement, caller) => read((db) => db.rows(statement), caller),
    write: (key, work, caller) =>
      availability
        .guard((isGivenUp) =>
          inTurn(key, () => writes.run(caller, () => unless(isGivenUp, () => transaction(work))), caller),
        )
        .catch(explain),
    close: async () => {
      await Promise.all([...queues.values()].map(({ queue }) => queue.run(() => Promise.resolve())));
      await close();
    },
  };
}

/** Nothing is done any more for somebody who was told that it is not. */
function unless<T>(isGivenUp: () => boolean, job: () => Promise<T>): Promise<T> {
  return isGivenUp() ? Promise.reject(new DatabaseUnavailableError('The database does not answer')) : job();
}
