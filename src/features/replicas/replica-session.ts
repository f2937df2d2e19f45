/**
 * The reads of one operation on a replica. Invariant: a replica runs a read only if it has at least everything that the
 * operation has read from the primary before.
 */
import { setTimeout as pause } from 'node:timers/promises';
import sql from 'sql-template-tag';
import type { Caller } from '../../scheduler/fair-queue.js';
import type { Connection, Queryable } from '../../database/connection/connection.js';
import { longReads } from '../../database/connection/long-reads.js';
import { ReplicaError } from './replica-connection.js';
import { positionOf, replayCheck, versionsOf } from './positions.js';
import type { Replica } from './replica.js';

/** Chats whose versions are compared with each read; an operation on more chats reads from the primary. */
const MAX_CHATS = 200;

/** The attempts to find a position replayed, and the pause between two in milliseconds. */
const REPLAY_ATTEMPTS = 10;
const REPLAY_PAUSE_MS = 5;

/** The reads that a replica may run, by the server that ran them. */
type ReadCounts = Record<'replica' | 'primary', number>;

export class ReplicaSession {
  readonly #failures: number;
  readonly #versions = new Map<string, number>();
  #position: string | null = null;
  /** Whether a requirement was read, or is being read. */
  #hasRequirement = false;
  /** Whether the primary returned rows that may be newer than the requirement. */
  #isOutdated = false;
  #refreshing: Promise<void> = Promise.resolve();
  /** Whether the primary runs all later reads: they may depend on rows that a replica lacks. */
  #isOver = false;

  constructor(
    private readonly replica: Replica | null,
    private readonly primary: Connection,
    private readonly counts: ReadCounts,
  ) {
    this.#failures = replica?.connection.failures ?? 0;
    this.#isOver = replica === null;
  }

  /** The database, with its reads on the replica where the invariant permits. */
  get connection(): Connection {
    const read: Connection['read'] = (query, caller) => this.#read(query, caller);
    return { ...this.primary, read, long: longReads((statement, caller) => read((db) => db.rows(statement), caller)) };
  }

  /** Whether the state of these chats that the replica must have is known. */
  covers(chatIds: readonly string[]): boolean {
    return this.#position !== null || chatIds.every((id) => this.#versions.has(id));
  }

  /** Call it before the versions of chats are read from the primary. */
  begin(): void {
    this.#hasRequirement = true;
  }

  /** Requires the version of a chat that the primary returned. */
  require({ id, version }: { id: string; version: number }): void {
    this.#versions.set(id, Math.max(version, this.#versions.get(id) ?? 0));
    if (this.#versions.size > MAX_CHATS) this.#isOver = true;
  }

  /** Call it after the primary has returned rows whose version is unknown. */
  outdate(): void {
    this.#isOutdated ||= this.#hasRequirement;
  }

  /** Requires all changes that are visible now, for a read across chats. Waits a short time for their replay. */
  async requireAll(caller?: Caller): Promise<void> {
    if (this.#isOver || this.#position !== null) return;
    this.begin();
    await this.#inOrder(() => this.#requirePosition(caller));
  }

  async #read<T>(query: (db: Queryable) => Promise<T>, caller?: Caller): Promise<T> {
    const outcome = await this.#readReplica(query, caller);
    this.counts[outcome === null ? 'primary' : 'replica']++;
    return outcome === null ? this.primary.read(query, caller) : outcome.result;
  }

  async #readReplica<T>(query: (db: Queryable) => Promise<T>, caller?: Caller): Promise<{ result: T } | null> {
    if (this.#isOutdated && !this.#isOver) {
      this.#isOutdated = false;
      await this.#inOrder(() => this.#refresh(caller));
    } else await this.#refreshing;
    const replica = this.replica;
    if (replica === null || this.#isOver) return null;
    // After a restart a standby may be in an earlier state than the rows that it has returned.
    if (replica.state !== 'usable' || replica.connection.failures !== this.#failures) return this.#end();
    try {
      return { result: await replica.read(replayCheck(this.#position, this.#versions), query, caller) };
    } catch (error) {
      if (error instanceof ReplicaError) return this.#end();
      throw error;
    }
  }

  #end(): null {
    this.#isOver = true;
    return null;
  }

  /** Runs changes of the requirement one by one, so that a later position is never replaced by an earlier one. */
  #inOrder(change: () => Promise<void>): Promise<void> {
    return (this.#refreshing = this.#refreshing.then(change).catch(() => {
      // The primary reports its own failure to the read.
      this.#end();
    }));
  }

  async #refresh(caller?: Caller): Promise<void> {
    if (this.#position !== null) return this.#requirePosition(caller);
    const read: Connection['read'] = (query) => this.primary.read(query, caller);
    for (const chat of await versionsOf(read, [...this.#versions.keys()])) this.require(chat);
  }

  async #requirePosition(caller?: Caller): Promise<void> {
    const position = await positionOf((query) => this.primary.read(query, caller), 'inserted');
    for (let attempt = 1; !(await this.#hasReplayed(position, caller)); attempt++) {
      if (attempt === REPLAY_ATTEMPTS) return void this.#end();
      await pause(REPLAY_PAUSE_MS, undefined, { ref: false });
    }
    this.#position = position;
  }

  async #hasReplayed(position: string, caller?: Caller): Promise<boolean> {
    try {
      await this.replica?.read(replayCheck(position, new Map()), (db) => db.run(sql`SELECT`), caller);
      return true;
    } catch (error) {
      if (error instanceof ReplicaError && error.reason === 'behind') return false;
      throw error;
    }
  }
}
