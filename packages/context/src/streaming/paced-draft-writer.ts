/**
 * Writes the chunks of a source into its draft: it gathers chunks into few appends, limits how far the source may be ahead, and
 * keeps the draft of a silent source from being abandoned.
 */
import { DraftWriter, type Appended } from '@parley/transport/draft-writer';
import { pause } from '@parley/transport/pause';
import { ContextError, DraftOffsetError } from '../errors.js';
import { retrying } from '../retrying.js';
import type { ContextStore } from '../store/context-store.js';
import type { ChunkText } from './chunk-text.js';

/** How long a chunk waits for others to be sent with, in milliseconds. */
const GATHER_MS = 50;
/** The same for the first chunks, which precede the model's: the first token must not wait for their request. */
const FIRST_GATHER_MS = 20;
/** A batch of this many chunks is sent at once. */
const ENOUGH_CHUNKS = 100;
/** The chunks that may wait for the store before the source must wait. */
const MAX_WAITING_CHUNKS = 2_000;
const MAX_WAITING_BYTES = 1024 * 1024;
/** The draft has ended, or another process writes it. */
const LOST_CODES: ReadonlySet<unknown> = new Set(['NOT_FOUND', 'ALREADY_EXISTS']);

export interface PacedDraftWriterOptions {
  store: ContextStore;
  chatId: string;
  id: string;
  /** How many chunks the draft has; more than 0 of a draft that is taken up. */
  length: number;
  /** The draft's idle timeout, in seconds. @default 60 */
  idleTimeout?: number | undefined;
  /** Called when a stop was requested. */
  onStop: () => void;
  /** Called when the draft has ended, or another process writes it. */
  onLost: (error: ContextError) => void;
}

export class PacedDraftWriter {
  readonly #writer: DraftWriter<ChunkText>;
  #isClosed = false;
  #isLost = false;
  #hasEnded = false;
  #sendNow: (() => void) | undefined;
  #heartbeat: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: PacedDraftWriterOptions) {
    this.#writer = new DraftWriter<ChunkText>({
      length: options.length,
      append: (offset, chunks) => this.#append(offset, chunks),
      gather: () => this.#gather(),
      stopping: options.onStop,
      failed: (error) => {
        // The message can still be saved; finishing reports an error other than these.
        this.#isClosed = true;
        if (isLost(error)) this.#lose(error);
      },
    });
    this.#beatLater();
  }

  /** Queues a chunk. The message has chunks that exceed the limits of a draft; followers do not receive them. */
  write(chunk: ChunkText): void {
    if (this.#isClosed || !this.#writer.add(chunk, chunk.bytes)) return;
    if (this.#unsentChunks >= ENOUGH_CHUNKS) this.#sendNow?.();
    this.#writer.send();
  }

  /** Waits until at most 2,000 chunks and 1 MiB wait for the store. */
  async whenWritable(): Promise<void> {
    while (this.#isFull()) await this.#writer.appending?.catch(() => {});
  }

  /** Sends the queued chunks, unless an append fails. */
  async end(): Promise<void> {
    clearTimeout(this.#heartbeat);
    this.#hasEnded = true;
    this.#sendNow?.();
    await this.#writer.sending;
  }

  #isFull(): boolean {
    if (this.#isClosed) return false;
    return this.#unsentChunks > MAX_WAITING_CHUNKS || this.#writer.unsentBytes > MAX_WAITING_BYTES;
  }

  get #unsentChunks(): number {
    return this.#writer.length - this.#writer.sentLength;
  }

  #lose(error: ContextError): void {
    this.#isClosed = this.#isLost = true;
    this.options.onLost(error);
  }

  /** Appends nothing after a third of the idle timeout without chunks, so that the draft of a slow source is not abandoned. */
  #beatLater(): void {
    clearTimeout(this.#heartbeat);
    if (this.#isLost || this.#hasEnded) return;
    const { store, chatId, id, idleTimeout = 60 } = this.options;
    const beat = async () => {
      try {
        const { state } = await store.appendToDraft(chatId, id, this.#writer.sentLength, []);
        if (state === 'STOPPING') this.options.onStop();
      } catch (error) {
        // A server of an earlier version refuses an append without chunks.
        if (error instanceof ContextError && error.code === 'INVALID_INPUT') return;
        if (isLost(error)) return this.#lose(error);
      }
      this.#beatLater();
    };
    this.#heartbeat = setTimeout(() => void beat(), (idleTimeout * 1_000) / 3);
    (this.#heartbeat as { unref?: () => void }).unref?.();
  }

  async #gather(): Promise<void> {
    if (this.#hasEnded || this.#unsentChunks >= ENOUGH_CHUNKS) return;
    const cut = new AbortController();
    this.#sendNow = () => cut.abort();
    const isFirst = this.#writer.sentLength === this.options.length;
    await pause(isFirst ? FIRST_GATHER_MS : GATHER_MS, cut.signal);
    this.#sendNow = undefined;
  }

  async #append(offset: number, texts: readonly ChunkText[]): Promise<Appended> {
    const { store, chatId, id, length: start } = this.options;
    const chunks = texts.map(({ json }) => JSON.parse(json) as unknown);
    try {
      const standing = await retrying(() => store.appendToDraft(chatId, id, offset, chunks));
      if (standing.length > offset + chunks.length) {
        throw new ContextError('ALREADY_EXISTS', `Another process writes draft "${id}"`);
      }
      this.#beatLater();
      return standing;
    } catch (error) {
      // The server lost chunks, for example with its disk.
      if (error instanceof DraftOffsetError && error.length >= start) return error;
      throw error;
    }
  }
}

function isLost(error: unknown): error is ContextError {
  return error instanceof ContextError && LOST_CODES.has(error.code);
}
