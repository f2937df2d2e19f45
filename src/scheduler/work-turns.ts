/**
 * Divides the main thread's work on answers into turns of the event loop. Each piece of work states its size before it
 * begins, so that a turn's work does not depend on the speed of the machine, and tests can count it.
 */
import { FairQueue } from './fair-queue.js';

/** Units of work in a turn: about 5 milliseconds. A unit is a field of an answer, or a kibibyte of parsed JSON. */
export const UNITS_PER_TURN = 1_000;

interface Piece {
  units: number;
  begin: () => void;
  of: Work | undefined;
}

/** The operation that the work serves. */
interface Work {
  /** Whether it is no longer needed. */
  readonly isOver: boolean;
}

/** The pause when all that waits belongs to users with debts, in milliseconds. */
const PAUSE_MS = 1;

export class WorkTurns {
  #left = UNITS_PER_TURN;
  #isScheduled = false;
  /** Whether each user that waits has a debt. */
  #isFree = true;
  /**
   * Units that users began beyond a turn, by pieces that cannot be divided. Each turn pays a part. Other users, whose
   * requests take several turns, meanwhile wait for no other piece of this kind.
   */
  readonly #debts = new Map<string, number>();
  readonly #waiting = new FairQueue<Piece>();

  /**
   * Begins a piece of work at once, or in a later turn of the event loop in fair order.
   * @param of when it is over, the work never begins
   * @returns null when it may begin at once
   */
  begin(userId: string, units: number, of?: Work): Promise<void> | null {
    this.#schedule();
    const mayBegin = !this.#debts.has(userId);
    if (mayBegin && this.#isFree && this.#left > 0) {
      this.#count(userId, units);
      return null;
    }
    if (mayBegin) this.#isFree = false;
    return new Promise((begin) => this.#waiting.add(userId, { units, begin, of }));
  }

  /** Forgets the pieces of work that is over: they hold values that no account counts any longer. */
  end(userId: string, of: Work): void {
    if (this.#waiting.size > 0) this.#waiting.remove(userId, (piece) => piece.of === of);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (this.#isFree && this.#waiting.size > 0) setTimeout(this.#turn, PAUSE_MS);
    else setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isScheduled = false;
    this.#left = UNITS_PER_TURN;
    for (const [userId, units] of this.#debts) {
      if (units > UNITS_PER_TURN) this.#debts.set(userId, units - UNITS_PER_TURN);
      else this.#debts.delete(userId);
    }
    this.#isFree = false;
    while (this.#left > 0) {
      const next = this.#waiting.size === 0 ? null : this.#waiting.next(this.#mayBegin);
      if (next === null) {
        this.#isFree = true;
        break;
      }
      const { userId, item } = next;
      if (item.of?.isOver === true) continue;
      this.#count(userId, item.units);
      item.begin();
    }
    if (this.#waiting.size > 0 || this.#debts.size > 0) this.#schedule();
  };

  readonly #mayBegin = (userId: string): boolean => !this.#debts.has(userId);

  #count(userId: string, units: number): void {
    this.#left -= units;
    if (units > UNITS_PER_TURN) this.#debts.set(userId, units - UNITS_PER_TURN);
  }
}

/** The work on all answers of the process. */
export const answerTurns = new WorkTurns();
