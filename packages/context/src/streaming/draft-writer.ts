/**
 * Writes the chunks of a draft while they come, some at a time and each once: one request is under way at a time, and is sent
 * again when it has no answer.
 */
import { pause } from '@parley/transport/pause';
import { ContextError, DraftOffsetError } from '../errors.js';
import { retrying } from '../retrying.js';
import type { ContextStore } from '../store/context-store.js';
import type { ChunkText } from './chunk-text.js';

/** How long a chunk waits for others to be sent with, in milliseconds. */
const GATHER_MS = 50;
/** The same for the first chunks, which come before the model answers: the first token must not wait for their request. */
const FIRST_GATHER_MS = 20;
/** When there are as many, they are sent at once. */
const ENOUGH = 100;
/** What the server takes in one append. */
const MOST = { chunks: 500, bytes: 256 * 1024 };
/** How much may wait for an answer of the store until the source has to wait, too. */
const AHEAD = { chunks: 2_000, bytes: 1024 * 1024 };

export interface DraftWriterOptions {
  store: ContextStore;
  chatId: string;
  id: string;
  /** How many chunks the draft has, of one that is taken up. */
  length: number;
  /** Of the draft, in seconds. @default 60 */
  idleTimeout?: number | undefined;
  /** Called when the draft is to be written no more. */
  onStop: () => void;
  /** Called when there is no draft to be written any more. */
  onLost: (error: ContextError) => void;
}

export class DraftWriter {
  /** All of its own, for a server that has fewer than it has said. */
  readonly #chunks: ChunkText[] = [];
  /** How many of its own are there. */
  #sent = 0;
  #waiting = 0;
  #isClosed = false;
  #isLost = false;
  #hasEnded = false;
  #hurry: (() => void) | null = null;
  #run: Promise<void> | null = null;
  #onRoom: (() => void)[] = [];
  #heartbeat: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: DraftWriterOptions) {
    this.#beatLater();
  }

  write(chunk: ChunkText): void {
    // Whoever follows the draft does without it. The message has it.
    if (this.#isClosed || chunk.bytes >= MOST.bytes) return;
    this.#chunks.push(chunk);
    this.#waiting += chunk.bytes;
    if (this.#chunks.length - this.#sent >= ENOUGH) this.#hurry?.();
    this.#run ??= this.#write().finally(() => (this.#run = null));
  }

  /** Waits until not too much is waiting. */
  async room(): Promise<void> {
    while (this.#isFull()) await new Promise<void>((resolve) => this.#onRoom.push(resolve));
  }

  /** Has all that was written sent, as far as that is possible. */
  async end(): Promise<void> {
    clearTimeout(this.#heartbeat);
    this.#hasEnded = true;
    while (this.#run !== null) {
      this.#hurry?.();
      await Promise.race([this.#run, pause(GATHER_MS)]);
    }
  }

  #isFull(): boolean {
    if (this.#isClosed) return false;
    return this.#chunks.length - this.#sent > AHEAD.chunks || this.#waiting > AHEAD.bytes;
  }

  async #write(): Promise<void> {
    try {
      while (this.#sent < this.#chunks.length) {
        if (this.#chunks.length - this.#sent < ENOUGH) await this.#gather();
        await retrying(() => this.#append());
        this.#tellRoom();
      }
    } catch (error) {
      // The message may still be saved: a draft takes 8 MiB of chunks, and finishing reports every other error.
      this.#isClosed = true;
      if (error instanceof ContextError && LOST.has(error.code)) this.#lose(error);
    } finally {
      this.#tellRoom();
    }
  }

  #lose(error: ContextError): void {
    this.#isClosed = this.#isLost = true;
    this.options.onLost(error);
  }

  /** Appends nothing after a third of the idle timeout without chunks, so that a slow source is not taken for a dead writer. */
  #beatLater(): void {
    clearTimeout(this.#heartbeat);
    if (this.#isLost || this.#hasEnded) return;
    const { store, chatId, id, length, idleTimeout = 60 } = this.options;
    const beat = async () => {
      try {
        const { state } = await store.appendToDraft(chatId, id, length + this.#sent, []);
        if (state === 'STOPPING') this.options.onStop();
      } catch (error) {
        const { code } = error as Partial<ContextError>;
        // A server of an earlier version refuses an append of no chunks.
        if (code === 'INVALID_INPUT') return;
        if (code !== undefined && LOST.has(code)) return this.#lose(error as ContextError);
      }
      this.#beatLater();
    };
    this.#heartbeat = setTimeout(() => void beat(), (idleTimeout * 1_000) / 3);
    (this.#heartbeat as { unref?: () => void }).unref?.();
  }

  #gather(): Promise<void> {
    const cut = new AbortController();
    this.#hurry = () => cut.abort();
    return pause(this.#sent === 0 ? FIRST_GATHER_MS : GATHER_MS, cut.signal).finally(() => (this.#hurry = null));
  }

  async #append(): Promise<void> {
    const { store, chatId, id, length: start } = this.options;
    const batch = this.#batch();
    const chunks = batch.map(({ json }) => JSON.parse(json) as unknown);
    const first = this.#sent;
    try {
      const { length, state } = await store.appendToDraft(chatId, id, start + first, chunks);
      if (length > start + first + batch.length) {
        throw new ContextError('ALREADY_EXISTS', `Somebody else is writing draft "${id}", too`);
      }
      this.#goOnAt(first + batch.length);
      this.#beatLater();
      if (state === 'STOPPING') this.options.onStop();
    } catch (error) {
      // A server that has lost some, with its disk, say.
      if (!(error instanceof DraftOffsetError) || error.length < start) throw error;
      this.#goOnAt(error.length - start);
    }
  }

  #batch(): ChunkText[] {
    let [end, bytes] = [this.#sent, 0];
    for (; end < this.#chunks.length && end - this.#sent < MOST.chunks; end++) {
      bytes += (this.#chunks[end]?.bytes ?? 0) + 1;
      if (bytes > MOST.bytes) break;
    }
    return this.#chunks.slice(this.#sent, end);
  }

  #goOnAt(sent: number): void {
    this.#sent = sent;
    this.#waiting = this.#chunks.slice(sent).reduce((bytes, chunk) => bytes + chunk.bytes, 0);
  }

  #tellRoom(): void {
    const waiting = this.#onRoom;
    this.#onRoom = [];
    for (const resolve of waiting) resolve();
  }
}

/** Nobody wants it any more, or somebody else writes it. */
const LOST: ReadonlySet<string> = new Set(['NOT_FOUND', 'ALREADY_EXISTS']);
