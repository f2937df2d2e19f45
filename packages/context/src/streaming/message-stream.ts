import { endedParts, failureText, markIncomplete } from '@parley/transport/answer-parts';
import { pause } from '@parley/transport/pause';
import type { ContextError } from '../errors.js';
import type { UIMessage } from '../messages/ui-message.js';
import { retrying } from '../retrying.js';
import type { SaveResult } from '../save-result.js';
import type { ContextStore } from '../store/context-store.js';
import type { MessageParts } from './message-parts.js';
import { chunkText, storableJson } from './chunk-text.js';
import { PacedDraftWriter } from './paced-draft-writer.js';
import { fitMessage, MessageSize, MessageTooLargeError } from './message-limit.js';

/** How long a source that receives the signal may take to end after a stop, in milliseconds. */
const STOP_GRACE_MS = 1_000;
/** When the writer subscribes to stops of its draft, in milliseconds: the source is read first. */
const LISTEN_AFTER_MS = 20;
/** Followers do not see the details of unexpected errors. */
export const FAILURE = 'The answer failed.';

export interface MessageStreamOptions<Chunk> {
  store: ContextStore;
  chatId: string;
  id: string;
  name: string;
  /** How many chunks the draft has. */
  length: number;
  /** With the chunks that the draft has. */
  parts: MessageParts;
  source: AsyncIterator<Chunk, unknown> | Iterator<Chunk, unknown>;
  /** Aborted when a stop is requested. */
  stop: AbortController;
  /** Whether the source receives the signal of a stop. */
  receivesStop: boolean;
  /**
   * Idle timeout of the draft, in seconds.
   * @default 60
   */
  idleTimeout?: number | undefined;
  /**
   * The text that followers of the draft see of an error of the source.
   * @default 'The answer failed.'
   */
  failureOf?: ((error: unknown) => string) | undefined;
  /** Whether the draft stays open at the end when a tool call waits for a page. @default false: the message is saved */
  staysOpen?: boolean | undefined;
  /** Saves the message. */
  finish: (data: unknown) => Promise<SaveResult>;
}

interface Settle {
  resolve(saved: SaveResult | null): void;
  reject(error: unknown): void;
}

/**
 * A message that is written as a draft while it passes through. It can be read once, as an iterable or as a stream;
 * after the last chunk the message is saved. A reader that stops does not stop the writing. An error of the source is
 * thrown after the chunks before it are saved, with an error chunk at their end; the metadata has `"status": "incomplete"`, and
 * the text of the error as `failure`. A stopped message, or one with an error among its chunks, has the same status. A message that exceeds the server's limit is shortened to it,
 * also has `"reason": "too-large"`, and ends with a MessageTooLargeError.
 */
export class MessageStream<Chunk> implements AsyncIterable<Chunk> {
  /** The id of the draft, and of the message that it becomes. */
  readonly id: string;
  /** Aborted when a stop is requested, or the draft is lost. */
  readonly signal: AbortSignal;
  /**
   * The saved message. null when an incomplete message has no content, and its draft is discarded; also when the draft
   * stays open. It rejects when the save fails. It waits until the chunks are read.
   */
  readonly saved: Promise<SaveResult | null>;
  readonly #options: MessageStreamOptions<Chunk>;
  readonly #writer: PacedDraftWriter;
  readonly #settle: Settle;
  readonly #over = new AbortController();
  readonly #size: MessageSize;
  #isTooLarge = false;
  #place: number;
  #lost: ContextError | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #isDone = false;

  constructor(options: MessageStreamOptions<Chunk>) {
    const { store, chatId, id, name, length, parts, stop, idleTimeout } = options;
    this.#options = options;
    this.#size = new MessageSize(() => endedMessage(parts, { id, name, isBroken: false }));
    this.id = id;
    this.#place = length;
    this.signal = stop.signal;
    let settle!: Settle;
    this.saved = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    this.#settle = settle;
    // A rejection without a listener must not end the process.
    this.saved.catch(() => {});
    const onLost = (error: ContextError) => {
      this.#lost ??= error;
      stop.abort(error);
    };
    this.#writer = new PacedDraftWriter({ store, chatId, id, length, idleTimeout, onStop: () => stop.abort(), onLost });
    void this.#listen();
  }

  /** The chunks as a stream, for createUIMessageStreamResponse of the AI SDK. */
  get readable(): ReadableStream<Chunk> {
    return new ReadableStream<Chunk>(
      {
        pull: async (controller) => {
          const { done, value } = await this.#next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    );
  }

  [Symbol.asyncIterator](): AsyncIterator<Chunk, undefined> {
    return {
      next: () => this.#next(),
      return: () => {
        this.#leave();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /**
   * Reads to the end without using the chunks.
   * @returns the saved message
   */
  async finish(): Promise<SaveResult | null> {
    for (;;) {
      const { done } = await this.#next();
      if (done === true) return this.saved;
    }
  }

  #leave(): void {
    void this.finish().catch(() => {});
  }

  /** The next chunk, after the one before it; concurrent calls wait. */
  #next(): Promise<IteratorResult<Chunk, undefined>> {
    const next = this.#turn.then(() => this.#read());
    this.#turn = next.catch(() => {});
    return next;
  }

  async #read(): Promise<IteratorResult<Chunk, undefined>> {
    if (this.#isDone) return { done: true, value: undefined };
    try {
      if (this.#isTooLarge) throw new MessageTooLargeError();
      await this.#writer.whenWritable();
      const next = await this.#nextOfSource();
      if (next !== null) {
        const chunk = this.#withId(next.value);
        this.#isTooLarge = this.#size.isPassed(this.#write(chunk));
        return { done: false, value: chunk };
      }
    } catch (error) {
      const isStopped = this.signal.aborted;
      this.#leaveSource();
      try {
        if (this.#isTooLarge) this.#options.stop.abort(error);
        else if (!isStopped) this.#write({ type: 'error', errorText: this.#failureOf(error) });
      } finally {
        await this.#end(true);
      }
      // An error of a stopped source is the end that the signal has caused.
      if (!isStopped) throw error;
      return this.#done();
    }
    await this.#end(this.signal.aborted);
    return this.#done();
  }

  #failureOf(error: unknown): string {
    return failureText(this.#options.failureOf?.(error) ?? FAILURE);
  }

  /** @returns the size of the chunk in bytes */
  #write(chunk: unknown): number {
    const text = chunkText(chunk, this.#place++);
    this.#options.parts.take(JSON.parse(text.json));
    this.#writer.write(text);
    return text.bytes;
  }

  /** The end for the reader: with an error when nothing was saved. */
  async #done(): Promise<IteratorResult<Chunk, undefined>> {
    await this.saved;
    return { done: true, value: undefined };
  }

  /** null at the end, or when a stopped source exceeds its time. */
  async #nextOfSource(): Promise<{ value: Chunk } | null> {
    const { source, receivesStop } = this.#options;
    const cut = new AbortController();
    const tooLate = async () => {
      await aborted(this.signal, cut.signal);
      if (receivesStop) await pause(STOP_GRACE_MS, cut.signal);
      return null;
    };
    try {
      const next = await Promise.race([source.next(), tooLate()]);
      if (next === null) this.#leaveSource();
      return next === null || next.done === true ? null : next;
    } finally {
      cut.abort();
    }
  }

  #leaveSource(): void {
    const { source } = this.#options;
    void (async () => source.return?.())().catch(() => {});
  }

  /** A browser must use the id of the message in the graph. */
  #withId(chunk: Chunk): Chunk {
    const { type, messageId } = (chunk ?? {}) as { type?: unknown; messageId?: unknown };
    return type === 'start' && messageId !== this.id ? { ...chunk, messageId: this.id } : chunk;
  }

  async #end(isBrokenOff: boolean): Promise<void> {
    if (this.#over.signal.aborted) return;
    this.#isDone = true;
    const { store, chatId, id, name, parts, finish, staysOpen = false } = this.#options;
    try {
      await this.#writer.end();
      if (this.#lost !== null) throw this.#lost;
      const isBroken = (isBrokenOff && (!parts.hasEnded || parts.isWaiting)) || parts.isBroken;
      if (staysOpen && !isBroken && parts.isWaiting) {
        this.#settle.resolve(null);
        return;
      }
      if (parts.isEmpty && (isBroken || this.#place === 0)) {
        await retrying(() => store.discardDraft(chatId, id));
        this.#settle.resolve(null);
        return;
      }
      const data = messageData(parts, { id, name, isBroken });
      this.#settle.resolve(await retrying(() => finish(data)));
    } catch (error) {
      this.#settle.reject(error);
    } finally {
      this.#over.abort();
    }
  }

  /** Follows the draft, to receive a stop while there is nothing to append. */
  async #listen(): Promise<void> {
    const { store, chatId, id, stop, length } = this.#options;
    await pause(LISTEN_AFTER_MS, this.#over.signal);
    if (this.#over.signal.aborted) return;
    try {
      const options = { after: length, signal: this.#over.signal, withChunks: false };
      for await (const { type } of store.followDraft(chatId, id, options)) {
        if (!this.#isDone && (type === 'stopping' || type === 'discarded')) stop.abort();
      }
    } catch {
      // The next append reports the stop.
    }
  }
}

/**
 * A message with these parts, truncated to the size that can be saved. A broken one has `"status": "incomplete"` as metadata, and
 * the text of its error chunk.
 */
export function messageData(
  parts: MessageParts,
  { id, name, isBroken }: { id: string; name: string; isBroken: boolean },
): unknown {
  const message = endedMessage(parts, { id, name, isBroken });
  const marked = isBroken ? markIncomplete(message, parts.failure) : message;
  return JSON.parse(storableJson(fitMessage(marked), 'the message'));
}

function endedMessage(
  parts: MessageParts,
  { id, name, isBroken }: { id: string; name: string; isBroken: boolean },
): UIMessage {
  const sofar = parts.message(id, name);
  return { ...sofar, parts: endedParts(sofar.parts, isBroken) };
}

/** Settles when a signal is aborted, or another one is. */
function aborted(signal: AbortSignal, other: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done);
      other.removeEventListener('abort', done);
      resolve();
    };
    if (signal.aborted) return done();
    signal.addEventListener('abort', done);
    other.addEventListener('abort', done);
  });
}
