/** Sends the chunks of a draft in order, several in one append and one append at a time, within the server's limits. */
import { RequestError } from './errors.js';
import {
  MAX_BYTES_PER_APPEND,
  MAX_BYTES_PER_DRAFT,
  MAX_CHUNKS_PER_APPEND,
  MAX_CHUNKS_PER_DRAFT,
} from './server-limits.js';

/** The number of appends without a stored chunk after which the writer fails. */
const MAX_LOSSES = 5;

/** The draft after an append. */
export interface Appended {
  /** The number of chunks on the server. After a loss it is lower than sent: the writer repeats the missing chunks. */
  length: number;
  /** `STOPPING` when a stop was requested. */
  state?: string;
}

export interface DraftWriterOptions<Chunk> {
  /** The number of chunks in the draft; above 0 when an abandoned draft is continued. */
  length: number;
  /**
   * Sends chunks, and repeats a request without a response: the server skips stored chunks.
   * @throws the reason why no further chunk can be sent
   */
  append(offset: number, chunks: readonly Chunk[]): Promise<Appended>;
  /** Awaited before each append, so that further chunks can join it. */
  gather?(): Promise<void>;
  /** Called when a stop was requested; the chunks after it are still sent. */
  stopping(): void;
  /** Called once, with the error of the append that ended the sending. */
  failed(reason: unknown): void;
}

export class DraftWriter<Chunk> {
  /** All chunks, because the server can lose some. */
  readonly #chunks: Chunk[] = [];
  /** The bytes of the chunks up to and with each of them, as a JSON array. */
  readonly #ends: number[] = [];
  #sent = 0;
  #isFull = false;
  #hasFailed = false;
  /** The append that is being gathered or sent; it rejects with its error. */
  appending: Promise<void> | undefined;
  /** Settles when all chunks are sent, or an append has failed; it never rejects. */
  sending: Promise<void> | undefined;

  constructor(private readonly options: DraftWriterOptions<Chunk>) {}

  /** The number of chunks after all are sent. */
  get length(): number {
    return this.options.length + this.#chunks.length;
  }

  /** The number of chunks that the server has confirmed. */
  get sentLength(): number {
    return this.options.length + this.#sent;
  }

  /** The bytes of the chunks that the server has not confirmed. */
  get unsentBytes(): number {
    return this.#bytes(this.#ends.length) - this.#bytes(this.#sent);
  }

  /**
   * Queues a chunk for the next `send`.
   * @param bytes its length as JSON, in UTF-8
   * @returns false for a chunk of 256 KiB or more, and for chunks beyond the 100,000 or 8 MiB of a draft: they are not sent
   */
  add(chunk: Chunk, bytes: number): boolean {
    const end = this.#bytes(this.#ends.length) + bytes + 1;
    this.#isFull ||= end > MAX_BYTES_PER_DRAFT || this.length >= MAX_CHUNKS_PER_DRAFT;
    if (this.#isFull || bytes >= MAX_BYTES_PER_APPEND) return false;
    this.#chunks.push(chunk);
    this.#ends.push(end);
    return true;
  }

  /** Sends the queued chunks. */
  send(): void {
    this.sending ??= this.#send().finally(() => (this.sending = undefined));
  }

  async #send(): Promise<void> {
    let losses = 0;
    try {
      while (this.#sent < this.#chunks.length && !this.#hasFailed) {
        const before = this.#sent;
        await (this.appending = this.#append());
        if (this.#sent <= before && ++losses >= MAX_LOSSES) {
          throw new RequestError('The server lost chunks', 'INTERNAL');
        }
      }
    } catch (reason) {
      this.#hasFailed = true;
      this.options.failed(reason);
    }
  }

  async #append(): Promise<void> {
    const { length: start, append, gather, stopping } = this.options;
    await gather?.();
    const first = this.#sent;
    const most = this.#bytes(first) + MAX_BYTES_PER_APPEND;
    let end = first;
    while (end < first + MAX_CHUNKS_PER_APPEND && (this.#ends[end] ?? Infinity) <= most) end++;
    const { length, state } = await append(start + first, this.#chunks.slice(first, end));
    this.#sent = Math.min(end, length - start);
    if (state === 'STOPPING') stopping();
  }

  /** The bytes of the first chunks. */
  #bytes(count: number): number {
    return this.#ends[count - 1] ?? 0;
  }
}
