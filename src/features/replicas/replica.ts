/** A standby and its state, which the monitor updates. */
import sql, { type Sql } from 'sql-template-tag';
import type { Caller } from '../../scheduler/fair-queue.js';
import { postgresql } from '../../database/dialects/postgresql/postgresql.js';
import { migrator } from '../../database/opening/migrator.js';
import type { ConnectionOptions, Queryable } from '../../database/connection/connection.js';
import { checkSearchPath } from '../../database/drivers/postgresql.js';
import { openReplica, ReplicaError, type ReplicaConnection } from './replica-connection.js';
import type { ServerUrl } from '../../database/connection/database-url.js';
import { driverMessage } from '../../database/dialects/driver-error.js';
import { systemOf } from './positions.js';

/** `unusable`: reachable, but not a standby of this database that has this version's migrations. */
export type ReplicaState = 'usable' | 'lagging' | 'unreachable' | 'unusable';

/** The primary's state, which a replica is compared with. */
export interface PrimaryState {
  /** The position of its write-ahead log at the previous probe. */
  earlier: string;
  /** Its system identifier; null when its role must not read it. */
  system: string | null;
}

export class Replica {
  readonly connection: ReplicaConnection;
  #state: ReplicaState = 'unreachable';
  #reason: string | null = null;

  /** @param log receives a line when the state changes */
  constructor(
    private readonly url: ServerUrl,
    private readonly options: ConnectionOptions & { log?: ((line: string) => void) | undefined },
  ) {
    this.connection = openReplica(url, options);
  }

  get state(): ReplicaState {
    return this.#state;
  }

  /**
   * Runs a query, if the replica has replayed what the check requires.
   * @throws ReplicaError when the primary must run it
   */
  async read<T>(check: Sql, query: (db: Queryable) => Promise<T>, caller?: Caller): Promise<T> {
    try {
      return await this.connection.read(check, query, caller);
    } catch (error) {
      // The next reads do not wait for a timeout; the next probe may find it usable again.
      if (error instanceof ReplicaError && error.reason === 'unreachable')
        this.#become('unreachable', driverMessage(error));
      throw error;
    }
  }

  /** Finds the present state. Never rejects. */
  async probe(primary: PrimaryState): Promise<void> {
    try {
      const [row] = await this.connection.probe((db) =>
        db.rows<{ isStandby: boolean; isCurrent: boolean }>(sql`
          SELECT pg_is_in_recovery() AS "isStandby", pg_last_wal_replay_lsn() >= ${primary.earlier}::pg_lsn AS "isCurrent"`),
      );
      if (row?.isStandby !== true) return this.#become('unusable', 'it is not a standby');
      // A standby of the same primary keeps its identity while it is connected.
      const fault = this.#isKnown ? null : await this.#faultOf(primary);
      if (fault !== null) return this.#become('unusable', fault);
      if (row.isCurrent) this.#become('usable');
      else this.#become('lagging', 'it has not replayed the changes of the last second');
    } catch (error) {
      this.#become('unreachable', driverMessage(error));
    }
  }

  get #isKnown(): boolean {
    return this.#state === 'usable' || this.#state === 'lagging';
  }

  async #faultOf({ system }: PrimaryState): Promise<string | null> {
    const { probe: read } = this.connection;
    const own = await systemOf(read);
    if (system !== null && own !== null && system !== own) return 'it is not a standby of DATABASE_URL';
    const { applied, expected } = await (await migrator()).count(this.url, { sql: postgresql, read });
    if (applied < expected) return `it lacks ${expected - applied} migrations of this version`;
    return checkSearchPath(this.url, { read }).then(() => null, driverMessage);
  }

  #become(state: ReplicaState, reason: string | null = null): void {
    const isNew = state !== this.#state || (state === 'unusable' && reason !== this.#reason);
    this.#state = state;
    this.#reason = reason;
    if (!isNew) return;
    const effect = state === 'usable' ? 'it is used for reads' : `reads use the primary: ${reason ?? ''}`;
    this.options.log?.(`The replica ${this.url.shown} is ${state}; ${effect}`);
  }
}
