/**
 * How much content an operation may read and answer with: the data of messages and the metadata of chats, in bytes. What is
 * read counts, and each time that it is in the answer counts again. One object may have a megabyte, so that a number of
 * objects says little of the memory that an operation takes.
 */
import { OverloadedError, TooLargeError } from './errors.js';

/** What the operations of a process hold together. */
export class ContentInUse {
  /** Bytes. */
  held = 0;

  /** @param limit from how many bytes on no operation may take much more */
  constructor(private readonly limit: number) {}

  /** Whether somebody who has taken so much has to go, because there is too much of it. */
  isTooMuchFor(taken: number): boolean {
    // Who asks for little does not suffer from those who ask for a lot.
    return this.held > this.limit && taken > this.limit / 256;
  }
}

export class ContentBudget {
  #taken = 0;
  #isOver = false;

  /**
   * @param limit in bytes
   * @param inUse where what it takes counts until it is given back; by default nobody counts it
   */
  constructor(
    private readonly limit: number,
    private readonly inUse: ContentInUse = new ContentInUse(Infinity),
  ) {}

  /**
   * Counts what is about to be read or written, or has just been.
   * @param bytes about: whoever has a text at hand counts its characters
   * @throws TooLargeError when that is more than one operation may have, OverloadedError when all together have too much
   */
  take(bytes: number): void {
    if (this.#isOver) return;
    this.#taken += bytes;
    this.inUse.held += bytes;
    this.check();
  }

  /** @throws TooLargeError, OverloadedError when it has taken too much already */
  check(): void {
    if (this.#taken > this.limit) {
      throw new TooLargeError(`The operation reads and returns more than ${this.limit} bytes of content: ask for less`);
    }
    if (this.inUse.isTooMuchFor(this.#taken)) {
      throw new OverloadedError('The server has too many large answers under way: try again later, or ask for less');
    }
  }

  /** Begins anew: for the next answer of a subscription. */
  reset(): void {
    this.inUse.held -= this.#taken;
    this.#taken = 0;
  }

  /** The operation is over: what still runs for it counts no more. */
  end(): void {
    this.reset();
    this.#isOver = true;
  }
}
