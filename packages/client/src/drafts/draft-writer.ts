/** Writes a message as a draft: the chunks are sent in order, several in one request. */
import type { Parley } from '../connection/create-parley.js';
import { asParleyError, ClosedError, isUnreachable, type ParleyError } from '@parley/transport/errors';
import { DraftOffsetError } from '../connection/contract-errors.js';
import { retry } from '@parley/transport/retry';
import {
  AppendToDraft,
  DiscardDraft,
  FinishDraft,
  StartDraft,
  type FinishDraftInput,
  type SavedFragment,
  type StartDraftInput,
} from '../generated/operations.js';
import { contentOf, type Content } from '../store/message.js';
import { draftText } from './draft-text.js';

/** The server's limits of one append. */
const MAX_CHUNKS_PER_APPEND = 500;
const MAX_BYTES_PER_APPEND = 256 * 1024;
/** The server's limits of one draft. */
const MAX_CHUNKS = 100_000;
const MAX_DRAFT_BYTES = 8 * 1024 * 1024;

export interface DraftWriterOptions {
  /** How many chunks the draft has; more than 0 of a draft that is taken up. 0 by default. */
  length?: number;
  /** Called with the chunks that will be sent, and their offset in the draft, before they are sent. */
  appended?(offset: number, chunks: readonly unknown[]): void;
  /** Called after the server has saved the message. */
  finished?(saved: SavedFragment): void;
}

export class DraftWriter {
  readonly #stopping = new AbortController();
  readonly #chunks: unknown[] = [];
  /** The bytes of each of them as JSON, with a separator. */
  readonly #sizes: number[] = [];
  readonly #length: number;
  #bytes = 0;
  #text = '';
  /** Whether the draft has no room for some chunks: the finished message has them. */
  #isPartial = false;
  #sent = 0;
  #sending: Promise<void> | undefined;
  #failure: ParleyError | undefined;

  constructor(
    private readonly parley: Parley,
    readonly chatId: string,
    /** Of the draft, and of the message that it becomes. */
    readonly id: string,
    private readonly options: DraftWriterOptions = {},
  ) {
    this.#length = options.length ?? 0;
  }

  /**
   * Begins a message.
   * @throws RefusedError and what else Parley.run throws
   */
  static async start(parley: Parley, input: StartDraftInput): Promise<DraftWriter> {
    const id = input.id ?? crypto.randomUUID();
    await lasting(parley, () => parley.run(StartDraft, { input: { ...input, id } }));
    return new DraftWriter(parley, input.chatId, id);
  }

  /** Aborted when a stop is requested or the writer is discarded, with a ClosedError; after a failed append, with its error. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /**
   * Adds chunks, which are sent while the next are produced. A chunk of more than 256 KiB, and chunks beyond the 100,000 or 8 MiB
   * of a draft, are not sent. The finished message has them.
   */
  append(...chunks: unknown[]): void {
    const offset = this.#chunks.length;
    for (const chunk of chunks) {
      this.#text += draftText([chunk]);
      const bytes = new TextEncoder().encode(JSON.stringify(chunk)).length + 1;
      const isFull = this.#bytes + bytes > MAX_DRAFT_BYTES || this.#length + this.#chunks.length >= MAX_CHUNKS;
      if (isFull) this.#bytes = Infinity;
      if (isFull || bytes > MAX_BYTES_PER_APPEND) {
        this.#isPartial = true;
        continue;
      }
      this.#bytes += bytes;
      this.#chunks.push(chunk);
      this.#sizes.push(bytes);
    }
    const sendable = this.#chunks.slice(offset);
    if (sendable.length === 0) return;
    this.options.appended?.(this.#length + offset, sendable);
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
  }

  /**
   * Waits until the server has all chunks.
   * @throws ParleyError when an append failed
   */
  async flush(): Promise<void> {
    await this.#sending;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Saves the message. With `content`, a failed append does not prevent it: `signal.reason` is its error.
   * @param content what is saved; the text of all chunks by default
   * @throws RefusedError and what else Parley.run throws; the draft is still there then
   */
  async finish(content?: Content): Promise<SavedFragment> {
    await (content === undefined ? this.flush() : this.#sending);
    if (this.#isPartial) content ??= this.#text;
    const input: FinishDraftInput = { chatId: this.chatId, id: this.id };
    if (content !== undefined) input.content = contentOf(content);
    const { finishDraft } = await lasting(this.parley, () => this.parley.run(FinishDraft, { input }));
    this.options.finished?.(finishDraft);
    return finishDraft;
  }

  /** Removes it; nothing is saved. */
  async discard(): Promise<void> {
    this.#stopping.abort(new ClosedError());
    await this.#sending;
    await this.parley.run(DiscardDraft, { input: { chatId: this.chatId, id: this.id } });
  }

  async #send(): Promise<void> {
    try {
      while (this.#sent < this.#chunks.length && this.#failure === undefined) await this.#sendOnce();
    } catch (reason) {
      this.#failure = asParleyError(reason);
      this.#stopping.abort(reason);
    }
  }

  async #sendOnce(): Promise<void> {
    const first = this.#sent;
    let [end, bytes] = [first, 0];
    for (; end < this.#chunks.length && end - first < MAX_CHUNKS_PER_APPEND; end++) {
      bytes += this.#sizes[end] ?? 0;
      if (bytes > MAX_BYTES_PER_APPEND) break;
    }
    const offset = this.#length + first;
    const input = { chatId: this.chatId, id: this.id, offset, chunks: this.#chunks.slice(first, end) };
    try {
      const { appendToDraft } = await lasting(
        this.parley,
        () => this.parley.run(AppendToDraft, { input }),
        this.signal,
      );
      this.#sent = end;
      if (appendToDraft.draft.state === 'STOPPING') this.#stopping.abort(new ClosedError());
    } catch (reason) {
      // The server has chunks whose response was lost; this is the only writer of the draft.
      const sent = reason instanceof DraftOffsetError ? reason.length - this.#length : NaN;
      if (!(sent > first && sent <= this.#chunks.length)) throw reason;
      this.#sent = sent;
    }
  }
}

/** Repeats a request while the server is unreachable: each of them can be repeated. */
const lasting = <Result>({ retryDelay }: Parley, ask: () => Promise<Result>, signal?: AbortSignal): Promise<Result> =>
  retry(ask, retryDelay, signal, (reason, tries) => isUnreachable(reason) && tries < 10);
