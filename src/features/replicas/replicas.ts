/** The replicas of a database, probed at intervals. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ConversationReads } from '../../conversation/reads.js';
import type { OperationBounds } from '../../limits/operation-bounds.js';
import type { Caller } from '../../scheduler/fair-queue.js';
import { Periodic } from '../../scheduler/periodic.js';
import type { Connection, ConnectionOptions, Pool } from '../../database/connection/connection.js';
import type { ServerUrl } from '../../database/connection/database-url.js';
import { operationReads } from './operation-reads.js';
import { positionOf, systemOf } from './positions.js';
import { Replica, type ReplicaState } from './replica.js';
import { ReplicaSession } from './replica-session.js';

/** Milliseconds between probes: a replica that has not replayed the changes before the last probe is skipped. */
const PROBE_INTERVAL_MS = 1_000;

export interface ReplicasOptions extends ConnectionOptions {
  urls: readonly ServerUrl[];
  /** Reads from the primary, ahead of waiting queries. */
  primary: Connection['read'];
  /** Receives a line when the state of a replica changes. */
  log?: ((line: string) => void) | undefined;
}

export class Replicas {
  readonly counts = { replica: 0, primary: 0 };
  readonly #all: readonly Replica[];
  readonly #probes: Periodic;
  #position: string | null = null;
  #next = 0;

  /** Waits a short time for their states. */
  static async open(options: ReplicasOptions): Promise<Replicas> {
    const replicas = new Replicas(options);
    await Promise.race([replicas.#probes.run(), pause(PROBE_INTERVAL_MS, undefined, { ref: false })]);
    return replicas;
  }

  private constructor(private readonly options: ReplicasOptions) {
    this.#all = options.urls.map((url) => new Replica(url, options));
    // Nothing is known of the replicas while the primary does not answer.
    this.#probes = new Periodic(() => this.#probe(), { intervalMs: PROBE_INTERVAL_MS, onError: () => {} });
  }

  get states(): ReplicaState[] {
    return this.#all.map(({ state }) => state);
  }

  get pools(): Pool[] {
    return this.#all.map(({ connection }, n) => ({ name: `replica-${n + 1}`, ...connection.load() }));
  }

  /** The reads of a query, on a replica where it has what the query has read before. */
  readsOf(primary: Connection, bounds: OperationBounds): ConversationReads {
    return operationReads(this.#sessionOn(primary), primary, bounds);
  }

  /**
   * The database for reads that need all changes that are visible now, and later ones as the primary would return them.
   */
  async currentOf(primary: Connection, caller?: Caller): Promise<Connection> {
    const session = this.#sessionOn(primary);
    await session.requireAll(caller);
    return session.connection;
  }

  /** Each usable replica in turn. */
  #sessionOn(primary: Connection): ReplicaSession {
    const usable = this.#all.filter(({ state }) => state === 'usable');
    return new ReplicaSession(usable[this.#next++ % usable.length] ?? null, primary, this.counts);
  }

  async close(): Promise<void> {
    await this.#probes.close();
    await Promise.all(this.#all.map(({ connection }) => connection.close()));
  }

  async #probe(): Promise<void> {
    const { primary } = this.options;
    const position = await positionOf(primary, 'written');
    const earlier = this.#position ?? position;
    this.#position = position;
    const system = await systemOf(primary);
    await Promise.all(this.#all.map((replica) => replica.probe({ earlier, system })));
  }
}
