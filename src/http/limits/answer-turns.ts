/** Answers of subscriptions that are made at the same time: one change has all who follow a chat answered. */
const AT_ONCE = 4;

/** Those of one user, so that whose answers are slow are not all that is made. */
const AT_ONCE_OF_A_USER = 2;

/** Who makes an answer, and who waits for it, over all subscriptions of a process. */
export class AnswerTurns {
  #running = 0;
  readonly #runningOf = new Map<string, number>();
  readonly #waiting: { userId: string; begin: () => void }[] = [];

  /**
   * Settles when an answer for the user may be made.
   * @throws the signal's reason when that is aborted before: nobody waits for it any more
   */
  async begin(userId: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#mayBegin(userId)) this.#count(userId, 1);
    else await this.#turn(userId, signal);
  }

  #turn(userId: string, signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason as Error);
      };
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const waiting = { userId, begin };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** It has been made: the next one may be. */
  end(userId: string): void {
    this.#count(userId, -1);
    const index = this.#waiting.findIndex((waiting) => this.#mayBegin(waiting.userId));
    const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (next === undefined) return;
    this.#count(next.userId, 1);
    next.begin();
  }

  #mayBegin(userId: string): boolean {
    return this.#running < AT_ONCE && (this.#runningOf.get(userId) ?? 0) < AT_ONCE_OF_A_USER;
  }

  #count(userId: string, change: 1 | -1): void {
    this.#running += change;
    const running = (this.#runningOf.get(userId) ?? 0) + change;
    if (running === 0) this.#runningOf.delete(userId);
    else this.#runningOf.set(userId, running);
  }
}
