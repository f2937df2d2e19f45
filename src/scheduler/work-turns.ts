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
  isOver: () => boolean;
}

export class WorkTurns {
  #left = UNITS_PER_TURN;
  #isScheduled = false;
  readonly #waiting = new FairQueue<Piece>();

  /**
   * Begins a piece of work at once, or in a later turn of the event loop in fair order.
   * @param isOver whether the work is no longer needed: then it never begins
   * @returns null when it may begin at once
   */
  begin(userId: string, units: number, isOver: () => boolean): Promise<void> | null {
    this.#schedule();
    if (this.#waiting.size === 0 && this.#left > 0) {
      this.#left -= units;
      return null;
    }
    return new Promise((begin) => this.#waiting.add(userId, { units, begin, isOver }));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  /** A piece larger than a turn takes a turn of its own. */
  readonly #turn = (): void => {
    this.#isScheduled = false;
    this.#left = UNITS_PER_TURN;
    while (this.#left > 0) {
      const piece = this.#waiting.next()?.item;
      if (piece === undefined) return;
      if (piece.isOver()) continue;
      this.#left -= piece.units;
      piece.begin();
    }
    this.#schedule();
  };
}

/** The work on all answers of the process. */
export const answerTurns = new WorkTurns();
