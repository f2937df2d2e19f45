/**
 * Notices a database that does not answer any more. A connection that is cut says so; one to a machine that hangs, or to a
 * network that swallows, does not, and whoever waits for an answer would wait for ever. A limit on the time of a query
 * would also end those that are only long, so a query that takes long is the occasion to ask the database, on a
 * connection of its own, whether it is there.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../../conversation/errors.js';

/** Jobs older than this make it ask, in milliseconds; and it asks again as often. */
const PATIENCE_MS = 1_000;

interface Waiting {
  readonly since: number;
  giveUp(error: Error): void;
}

export class Availability {
  readonly #waiting = new Set<Waiting>();
  #isWatching = false;

  /**
   * @param ping whether the database answers; it settles within seconds, whatever happens
   * @param cutOff ends what waits for an answer
   */
  constructor(
    private readonly ping: () => Promise<boolean>,
    private readonly cutOff: () => void = () => {},
  ) {}

  /**
   * The result of a job, or DatabaseUnavailableError as soon as the database is found not to answer. A job that has not
   * begun by then should not.
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
        waiting.giveUp(new DatabaseUnavailableError('The database does not answer'));
      }
      this.cutOff();
    }
    this.#isWatching = false;
  }
}
