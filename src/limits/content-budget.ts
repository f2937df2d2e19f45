/**
 * How much an operation may read and answer with, in bytes: messages with their data and the metadata of chats that it reads,
 * and what it returns. One object may have a megabyte, so that a number of objects says little of the memory that it takes.
 */
import { Memory, type Holding } from './memory.js';
import { OverloadedError, TooLargeError } from '../conversation/errors.js';

/** What a message that is read takes beside its data, about. */
export const BYTES_PER_MESSAGE = 256;

/** What an object in a list of an answer takes, and each of its values beside its text, about. */
export const BYTES_PER_OBJECT = 64;
export const BYTES_PER_VALUE = 32;

/** What an element or a member of JSON takes beside its text when it has been parsed, about. */
const BYTES_PER_ELEMENT = 16;

/** What JSON takes when it has been parsed, about: an empty array is two characters and many bytes. */
export function parsedBytes(json: string): number {
  let values = 0;
  for (let n = 0; n < json.length; n++) {
    const code = json.charCodeAt(n);
    // A comma, a bracket, a brace; those in texts, too, for the sake of a short way.
    if (code === 44 || code === 91 || code === 123) values++;
  }
  return json.length + BYTES_PER_ELEMENT * values;
}

/** What one operation has taken, or one answer of a subscription. */
export class ContentBudget {
  #refusal: TooLargeError | OverloadedError | null = null;
  #isOver = false;

  /**
   * @param limit in bytes
   * @param holding where what it takes counts until it is given back; by default nobody counts it
   */
  constructor(
    readonly limit: number,
    private readonly holding: Holding = new Memory().hold('content', ''),
  ) {}

  /**
   * Counts what is about to be read or written, or has just been.
   * @param bytes about: whoever has a text at hand counts its characters
   * @throws TooLargeError when that is more than one operation may have, OverloadedError when all together have too much
   */
  take(bytes: number): void {
    this.check();
    if (this.#isOver) return;
    const { holding, limit } = this;
    try {
      if (holding.bytes + bytes <= limit) return holding.take(bytes);
      this.#refusal = new TooLargeError(`The operation reads and returns more than ${limit} bytes: ask for less`);
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
      this.#refusal = error;
    }
    holding.giveBack();
    throw this.#refusal;
  }

  /** Whether nobody waits for the operation any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What the operation was refused with, once it was: the answer is that, whatever has been resolved. */
  get refusal(): TooLargeError | OverloadedError | null {
    return this.#refusal;
  }

  /** Refuses the operation, because it asks for too much of something else. @throws the reason */
  refuse(reason: TooLargeError): never {
    this.#refusal ??= reason;
    this.holding.giveBack();
    throw this.#refusal;
  }

  /** @throws TooLargeError, OverloadedError when it was refused */
  check(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  /**
   * The operation is over: where one field has failed, others may still be on their way, for whom nothing is read any more.
   * What it took is given back a little later, when its answer has been written.
   */
  end(): void {
    this.#isOver = true;
    setImmediate(() => this.holding.giveBack());
  }
}
