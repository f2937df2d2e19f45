/**
 * How much an operation may read and answer with, in bytes: messages with their data and the metadata of chats that it reads,
 * and what it returns. One object may have a megabyte, so that a number of objects says little of the memory that it takes.
 */
import { OverloadedError, TooLargeError } from './errors.js';

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

/** What all operations of a process hold together. */
export class ContentInUse {
  /** Bytes. */
  held = 0;

  /** @param limit bytes; when more are held, operations that hold much are refused */
  constructor(private readonly limit: number) {}

  /** Whether somebody who has taken so much has to go, because all together have too much. */
  isTooMuchFor(taken: number): boolean {
    // Who asks for little does not suffer from those who ask for a lot.
    return this.held > this.limit && taken > this.limit / 256;
  }
}

/** What one operation has taken of it, or one answer of a subscription. */
export class ContentBudget {
  #taken = 0;
  #refusal: TooLargeError | OverloadedError | null = null;
  #isOver = false;

  /**
   * @param limit in bytes
   * @param inUse where what it takes counts until it is given back; by default nobody counts it
   */
  constructor(
    readonly limit: number,
    private readonly inUse: ContentInUse = new ContentInUse(Infinity),
  ) {}

  /**
   * Counts what is about to be read or written, or has just been.
   * @param bytes about: whoever has a text at hand counts its characters
   * @throws TooLargeError when that is more than one operation may have, OverloadedError when all together have too much
   */
  take(bytes: number): void {
    this.check();
    if (this.#isOver) return;
    this.#taken += bytes;
    this.inUse.held += bytes;
    this.#refusal = this.#excess();
    if (this.#refusal === null) return;
    // At once, for others who come at the same moment: what it has of it goes with it.
    this.#release();
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

  /** @throws TooLargeError, OverloadedError when it was refused */
  check(): void {
    if (this.#refusal !== null) throw this.#refusal;
  }

  #excess(): TooLargeError | OverloadedError | null {
    if (this.#taken > this.limit) {
      return new TooLargeError(`The operation reads and returns more than ${this.limit} bytes: ask for less`);
    }
    if (this.inUse.isTooMuchFor(this.#taken)) {
      return new OverloadedError('The server has too many large answers under way: try again later, or ask for less');
    }
    return null;
  }

  /**
   * The operation is over: where one field has failed, others may still be on their way, for whom nothing is read any more.
   * What it took is given back a little later, when its answer has been written.
   */
  end(): void {
    this.#isOver = true;
    setImmediate(() => this.#release());
  }

  #release(): void {
    this.inUse.held -= this.#taken;
    this.#taken = 0;
  }
}
