/**
 * Detects an unresponsive database. A hanging host or a network that drops packets closes no connection, and a query
 * timeout would end long queries too; so a long query triggers a ping on a separate connection.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../conversation/errors.js';

/** The age of a job that triggers a ping, and the interval of further pings, in milliseconds. */
const PATIENCE_MS = 1_000;

interface Waiting {
  readonly since: number;
  giveUp(error: Error): void;
}

export class Availability {
  readonly #waiting = new Set<Waiting>();
  #isWatching = false;

  /**
   * @param ping checks that the database responds; it settles within seconds
   * @param cutOff ends pending statements
   */
  constructor(
    private readonly ping: () => Promise<boolean>,
    private readonly cutOff: () => void = () => {},
  ) {}

  /**
   * The result of a job, or DatabaseUnavailableError as soon as a ping fails. A job that has not started by then must
   * not start.
   */
  guard<T>(job: (isGivenUp: () => boolean) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiting: Waiting = { since: Date.now(), giveUp: reject };
      this.#waiting.add(waiting);
      job(() => !this.#waiting.has(waiting))
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(waiting));
      if (!this.#isWatching) void this.#watch();
    });
  }

  async #watch(): Promise<void> {
    this.#isWatching = true;
    while (this.#waiting.size > 0) {
      await pause(PATIENCE_MS, undefined, { ref: false });
      const asked = Date.now();
      const late = [...this.#waiting].filter(({ since }) => since <= asked - PATIENCE_MS);
      if (late.length === 0 || (await this.ping())) continue;
      for (const waiting of this.#waiting) {
        if (waiting.since > asked) continue;
        this.#waiting.delete(waiting);
        waiting.giveUp(new DatabaseUnavailableError('The database does not respond'));
      }
      this.cutOff();
    }
    this.#isWatching = false;
  }
}
