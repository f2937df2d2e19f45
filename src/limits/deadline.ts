import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailableError, TimeoutError } from '../conversation/errors.js';

/** The first and the last step of a transaction: it is undone when one of them throws. */
export interface TransactionSteps {
  begin(): void;
  commit(): void;
}

/**
 * Until when an operation may begin anything. What it has not begun by then is not begun, and a change that it has not
 * committed is undone; one that is being committed at that moment is waited for.
 */
export class Deadline {
  /** Whether the operation has changed anything: noted by whoever hears of changes. */
  hasWritten = false;
  /** Whether a database that went away has left it open if a change was made. */
  isUncertain = false;
  readonly #control = new AbortController();
  readonly #commits = new Set<Promise<void>>();
  readonly #endsAt: number;
  #reason: TimeoutError | undefined;
  #hasPassed = false;
  readonly #timer: NodeJS.Timeout;

  /** @param timeoutMs from now, in milliseconds */
  constructor(private readonly timeoutMs: number) {
    this.#endsAt = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => this.#pass(), timeoutMs);
    this.#timer.unref();
    // An operation may wait for many turns at once: more than ten is no leak.
    setMaxListeners(0, this.#control.signal);
  }

  /** What everything that is done for the operation fails with, once it has passed. */
  get reason(): TimeoutError {
    // Not before: it takes its stack along.
    return (this.#reason ??= new TimeoutError(`The operation took longer than ${this.timeoutMs} ms`));
  }

  /** Aborted once it has passed. */
  get signal(): AbortSignal {
    return this.#control.signal;
  }

  /** Whether it has passed before the operation was over. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }

  /** @throws TimeoutError once it has passed: also where work without a pause keeps the timer from its turn */
  check(): void {
    if (performance.now() >= this.#endsAt) this.#pass();
    if (this.#hasPassed) throw this.reason;
  }

  /** Ends it before its time: nobody waits for the operation any more. */
  giveUp(): void {
    this.#reason ??= new TimeoutError('Nobody waits for the operation any more');
    this.#pass();
  }

  #pass(): void {
    if (this.#hasPassed) return;
    this.#hasPassed = true;
    // Not at once: whoever asks may be a field that is being resolved, and the executor does not expect it there.
    setImmediate(() => this.#control.abort(this.reason));
  }

  /**
   * The result of a transaction; or TimeoutError, at once, when the deadline passes before it commits. The transaction may
   * be anywhere then, in a queue or waiting for a lock: it ends by itself, and writes nothing.
   */
  transaction<T>(run: (steps: TransactionSteps) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let isCommitting = false;
      const giveUp = () => {
        if (!isCommitting) reject(this.reason);
      };
      const steps = {
        begin: () => {
          // It may have been in the way of another when it committed, and run again.
          isCommitting = false;
          this.check();
        },
        commit: () => {
          this.check();
          isCommitting = true;
          this.#commits.add(ended);
        },
      };
      this.signal.addEventListener('abort', giveUp);
      const ended = run(steps)
        .then(resolve, (error: Error) => {
          if (isCommitting && error instanceof DatabaseUnavailableError) this.isUncertain = true;
          reject(error);
        })
        .finally(() => {
          this.signal.removeEventListener('abort', giveUp);
          this.#commits.delete(ended);
        });
    });
  }

  /** Settles when nothing is being committed any more. From then on hasWritten says how the operation has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#commits);
    await nextTurn();
  }

  /** The operation is over. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
