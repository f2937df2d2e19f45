/** Connections to a standby, which runs a read only if a check on the same connection succeeds. */
import type pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { DatabaseUnavailableError, TimeoutError } from '../../conversation/errors.js';
import { FairLimiter } from '../../scheduler/fair-limiter.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import { postgresql } from '../../database/dialects/postgresql/postgresql.js';
import { Availability } from '../../database/connection/availability.js';
import type { ConnectionOptions, Pool, Queryable } from '../../database/connection/connection.js';
import type { ServerUrl } from '../../database/connection/database-url.js';
import { limitsOf, unless } from '../../database/drivers/pooled.js';
import { cancellableQuery } from '../../database/drivers/postgresql-cancel.js';
import {
  answers,
  askOn,
  connectPool,
  CONNECT_TIMEOUT_MS,
  disconnect,
  postgresqlSettings,
  queryable,
} from '../../database/drivers/postgresql.js';

/** The standby cannot run a read now; the primary can. */
export class ReplicaError extends Error {
  constructor(
    /** `behind`: its check failed; `failed`: a statement did, for example by a conflict with the replay. */
    readonly reason: 'behind' | 'unreachable' | 'failed',
    options?: ErrorOptions,
  ) {
    super(`The replica is not usable for this read: ${reason}`, options);
  }
}

export type ReplicaConnection = ReturnType<typeof openReplica>;

const NEVER = new AbortController().signal;

export function openReplica(url: ServerUrl, { statementTimeouts, shareOfAUser = 1, onStatement }: ConnectionOptions) {
  let failures = 0;
  const onBroken = () => void failures++;
  const busy = new Set<pg.PoolClient>();
  // One connection is for health checks.
  const poolSize = url.connectionLimit - 1;
  const settings = { ...postgresqlSettings(url, statementTimeouts?.readMs), pipeline: true, max: poolSize };
  const pool = connectPool(settings, busy, onBroken);
  const probeSettings = { ...postgresqlSettings(url), max: 1, query_timeout: CONNECT_TIMEOUT_MS };
  const probes = connectPool(probeSettings, new Set(), onBroken);
  const limiter = new FairLimiter(limitsOf(poolSize, shareOfAUser));
  const availability = new Availability(
    () => answers(url),
    () => disconnect(busy),
  );

  const checked = (check: Sql, signal = NEVER): Queryable =>
    queryable(async (statement) => {
      const result = await cancellableQuery(pool, signal, async (client) => {
        const ask = askOn(client, { kind: 'read', canPrepare: url.canPrepare, onStatement });
        // Pipelined: both take one round trip.
        const [found, rows] = await Promise.all([ask(check), ask(statement)]);
        return isReplayed(found) ? rows : null;
      }).catch(explain);
      if (result === null) throw new ReplicaError('behind');
      return result;
    });

  return {
    /** The number of broken connections so far: after a restart, a standby may be in an earlier state. */
    get failures(): number {
      return failures;
    },
    /**
     * Runs a query.
     * @param check returns a row with `isReplayed`, on the connection of each statement and before it
     * @throws ReplicaError when the check or the standby fails, TimeoutError when a statement took too long
     */
    read: <T>(check: Sql, query: (db: Queryable) => Promise<T>, caller?: Caller): Promise<T> =>
      availability
        .guard((isGivenUp) => limiter.run(caller, () => unless(isGivenUp, () => query(checked(check, caller?.signal)))))
        .catch((error: unknown) => {
          // Thrown when a ping fails, while statements wait for the standby.
          throw error instanceof DatabaseUnavailableError ? new ReplicaError('unreachable', { cause: error }) : error;
        }),
    /** Runs a query on a separate connection, for health checks. */
    probe: <T>(query: (db: Queryable) => Promise<T>): Promise<T> =>
      query(queryable((statement) => probes.query<object>(statement.text, statement.values))),
    load: (): Omit<Pool, 'name'> => limiter.load,
    close: async (): Promise<void> => {
      await Promise.all([pool.end(), probes.end()]);
    },
  };
}

/** Statements that the time limit ended are not repeated; all others are, because the primary may answer them. */
function explain(error: unknown): never {
  const failure = postgresql.failure(error);
  if (failure === 'timeout') throw new TimeoutError('The database took too long', { cause: error });
  throw new ReplicaError(failure === 'unavailable' ? 'unreachable' : 'failed', { cause: error });
}

function isReplayed({ rows: [row] }: pg.QueryResult<{ isReplayed?: unknown }>): boolean {
  return row?.isReplayed === true;
}
