/**
 * Limits the bytes that an operation reads and returns: data of messages, metadata of chats, and the answer. One object
 * may have a megabyte, so the number of objects does not limit memory.
 */
import { Memory, type Holding } from './memory.js';
import { OverloadedError, TooLargeError } from '../conversation/errors.js';

/** Approximate bytes of a read message besides its data. */
export const BYTES_PER_MESSAGE = 256;

/** Approximate bytes of an object in a list of an answer, and of each of its values besides its text. */
export const BYTES_PER_OBJECT = 192;
export const BYTES_PER_VALUE = 48;

/**
 * Approximate bytes of an object of an answer that is loaded for another one, and of a loaded value: promises, until the
 * answer is complete.
 */
export const BYTES_PER_LOADED_OBJECT = 2_048;
export const BYTES_PER_LOADED_VALUE = 256;

/** Approximate bytes of a parsed object or array, and of an element or a member, besides its text. */
const BYTES_PER_LIST = 40;
const BYTES_PER_ELEMENT = 8;

/** Approximate bytes of parsed JSON: an empty array is two characters and many bytes. */
export function parsedBytes(json: string): number {
  let bytes = json.length;
  for (let n = 0; n < json.length; n++) {
    const code = json.charCodeAt(n);
    // A comma, a bracket or a brace, including those in texts, to stay fast.
    if (code === 44) bytes += BYTES_PER_ELEMENT;
    else if (code === 91 || code === 123) bytes += BYTES_PER_LIST;
  }
  return bytes;
}

/** The consumption of one operation, or of one answer of a subscription. */
export class ContentBudget {
  /** The refusal of the operation, once it was refused: it replaces the whole answer. */
  refusal: TooLargeError | OverloadedError | null = null;
  /** Whether the client disconnected, or the operation ended, as a query does when it is refused. */
  isOver = false;
  /** Bytes that were counted, also those of a refused operation. */
  bytes = 0;
  onRefusal: ((refusal: TooLargeError | OverloadedError) => void) | undefined;

  /**
   * @param limit in bytes
   * @param holding memory account to charge; by default none
   * @param isQuery whether it belongs to a query: a mutation completes, and a subscription continues, after a refusal
   */
  constructor(
    readonly limit: number,
    private readonly holding: Holding = new Memory().hold('content', ''),
    private readonly isQuery = false,
  ) {}

  /**
   * Counts bytes before or after they are read or written.
   * @param bytes approximate: callers may count characters
   * @throws TooLargeError beyond the limit of an operation, OverloadedError when all operations together have too much
   */
  take(bytes: number): void {
    if (this.refusal !== null) throw this.refusal;
    if (this.isOver) return;
    const { holding, limit } = this;
    this.bytes += bytes;
    try {
      if (holding.bytes + bytes <= limit) return holding.take(bytes);
      this.refusal = new TooLargeError(`The operation reads and returns more than ${limit} bytes: request less data`);
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error;
      this.refusal = error;
    }
    this.#end(this.refusal);
    throw this.refusal;
  }

  /**
   * Refuses the operation because of another limit.
   * @throws the reason
   */
  refuse(reason: TooLargeError): never {
    this.refusal ??= reason;
    this.#end(this.refusal);
    throw this.refusal;
  }

  #end(refusal: TooLargeError | OverloadedError): void {
    this.holding.release();
    this.isOver ||= this.isQuery;
    this.onRefusal?.(refusal);
  }

  /** @throws TooLargeError, OverloadedError when it was refused */
  check(): void {
    if (this.refusal !== null) throw this.refusal;
  }

  /**
   * Ends the operation: fields that are still resolving read nothing more. Memory is released later, when the answer
   * was written.
   */
  end(): void {
    this.isOver = true;
    setImmediate(this.holding.release);
  }
}
