import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseUnavailableError, TimeoutError } from '../conversation/errors.js';

/** Called before the work of a transaction and before its commit. The transaction is undone when it throws. */
export type EnterStep = (step: 'work' | 'commit') => void;

/**
 * The time limit of an operation. After it, the operation begins nothing more and its uncommitted changes are undone; a
 * running commit is awaited.
 */
export class Deadline {
  /** Whether the operation has committed a change; set after its commit. */
  hasWritten = false;
  /** Whether a lost database connection left it unknown if a change was committed. */
  isUncertain = false;
  readonly #control = new AbortController();
  /** Aborted at the deadline. */
  readonly signal = this.#control.signal;
  readonly #commits: Promise<void>[] = [];
  readonly #endsAt: number;
  #reason: TimeoutError | undefined;
  /** Whether the deadline passed before the operation ended. */
  hasPassed = false;
  readonly #timer: NodeJS.Timeout;

  /** @param timeoutMs milliseconds from now */
  constructor(private readonly timeoutMs: number) {
    this.#endsAt = performance.now() + timeoutMs;
    this.#timer = setTimeout(() => this.#pass(), timeoutMs);
    this.#timer.unref();
    // An operation may wait for many turns at once: more than ten listeners are no leak.
    setMaxListeners(0, this.signal);
  }

  /** The error of everything that is done for the operation after its deadline. */
  get reason(): TimeoutError {
    // Created late because of the cost of its stack.
    return (this.#reason ??= new TimeoutError(`The operation took longer than ${this.timeoutMs} ms`));
  }

  /** @throws TimeoutError after the deadline, also while synchronous work delays the timer */
  check(): void {
    if (performance.now() >= this.#endsAt) this.#pass();
    if (this.hasPassed) throw this.reason;
  }

  /** Ends it early: the client disconnected. */
  giveUp(): void {
    this.#reason ??= new TimeoutError('The client disconnected');
    this.#pass();
  }

  #pass(): void {
    if (this.hasPassed) return;
    this.hasPassed = true;
    // Deferred: the caller may be a resolving field, where the executor does not expect an abort.
    setImmediate(() => this.#control.abort(this.reason));
  }

  /**
   * Settles as a promise does, or at the deadline.
   * @throws the reason at the deadline
   */
  within<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.signal.addEventListener('abort', () => reject(this.reason));
      result.then(resolve, reject);
    });
  }

  /**
   * Returns the result of a transaction, or throws TimeoutError as soon as the deadline passes before the commit. The
   * transaction may be queued or waiting for a lock then: it ends by itself and writes nothing.
   * @param run runs the job, and calls its `enter`
   */
  transaction<T, J extends object>(run: (job: J & { enter: EnterStep }) => Promise<T>, job: J): Promise<T> {
    return new Promise((resolve, reject) => {
      this.check();
      let isCommitting = false;
      this.signal.addEventListener('abort', () => {
        if (!isCommitting) reject(this.reason);
      });
      const enter: EnterStep = (step) => {
        this.check();
        // A commit can fail on a conflict and the transaction run again.
        isCommitting = step === 'commit';
        if (isCommitting) this.#commits.push(ended);
      };
      const ended = run({ ...job, enter }).then(resolve, (error: Error) => {
        if (isCommitting && error instanceof DatabaseUnavailableError) this.isUncertain = true;
        reject(error);
      });
    });
  }

  /** Settles when no commit is running. From then on hasWritten is final. */
  async settled(): Promise<void> {
    await Promise.all(this.#commits);
    await nextTurn();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
