/** Writes a message as a draft: the chunks are sent in order, several in one request. */
import type { Parley } from '../connection/create-parley.js';
import { asParleyError, ClosedError, isUnreachable, type ParleyError } from '@parley/transport/errors';
import { DraftWriter as ChunkWriter } from '@parley/transport/draft-writer';
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
import { contentOf, type Content } from '../message.js';
import { draftText } from './draft-text.js';

export interface DraftWriterOptions {
  /**
   * The number of chunks in the draft; above 0 when an abandoned draft is continued.
   * @default 0
   */
  length?: number;
  /** Called with new chunks, and their offset in the draft, before they are sent. */
  appended?(offset: number, chunks: readonly unknown[]): void;
  /** Called after the server has saved the message. */
  finished?(saved: SavedFragment): void;
}

/** A class whose objects write a draft. */
export type WriterOf<Writer> = new (parley: Parley, chatId: string, id: string, options?: DraftWriterOptions) => Writer;

/** The part of a DraftWriter that needs no store. */
export class DraftRequests {
  readonly #stopping = new AbortController();
  readonly #writer: ChunkWriter<unknown>;
  #text = '';
  /** Whether chunks are missing from the draft; the finished message contains them. */
  #isPartial = false;
  #failure: ParleyError | undefined;

  constructor(
    private readonly parley: Parley,
    readonly chatId: string,
    /** The id of the draft and of its message. */
    readonly id: string,
    private readonly options: DraftWriterOptions = {},
  ) {
    const { length = 0 } = options;
    this.#writer = new ChunkWriter({
      length,
      append: async (offset, chunks) => {
        const input = { chatId, id, offset, chunks };
        try {
          return (await lasting(parley, () => parley.run(AppendToDraft, { input }), this.signal)).appendToDraft.draft;
        } catch (reason) {
          if (reason instanceof DraftOffsetError && reason.length >= length) return reason;
          throw reason;
        }
      },
      stopping: () => this.#stopping.abort(new ClosedError()),
      failed: (reason) => {
        this.#failure = asParleyError(reason);
        this.#stopping.abort(reason);
      },
    });
  }

  /**
   * Starts a message.
   * @throws RefusedError, and the errors of Parley.run
   */
  static async start<Writer>(this: WriterOf<Writer>, parley: Parley, input: StartDraftInput): Promise<Writer> {
    const id = input.id ?? crypto.randomUUID();
    await lasting(parley, () => parley.run(StartDraft, { input: { ...input, id } }));
    return new this(parley, input.chatId, id);
  }

  /** Aborted when a stop is requested or the writer is discarded, with a ClosedError; after a failed append, with its error. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /**
   * Adds chunks, which are sent while later ones are produced. Chunks of 256 KiB or more, and chunks beyond the
   * limits of a draft (100,000 or 8 MiB), are not sent: only the finished message contains them.
   */
  append(...chunks: unknown[]): void {
    const offset = this.#writer.length;
    const sendable = chunks.filter((chunk) =>
      this.#writer.add(chunk, new TextEncoder().encode(JSON.stringify(chunk)).length),
    );
    this.#text += draftText(chunks);
    this.#isPartial ||= sendable.length < chunks.length;
    if (sendable.length === 0) return;
    this.options.appended?.(offset, sendable);
    this.#writer.send();
  }

  /**
   * Waits until the server has all chunks.
   * @throws ParleyError when an append failed
   */
  async flush(): Promise<void> {
    await this.#writer.sending;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Saves the message. With `content`, a failed append does not prevent it: `signal.reason` is its error.
   * @param content the content to save; the text of all chunks by default
   * @throws RefusedError, and the errors of Parley.run; the draft is kept then
   */
  async finish(content?: Content): Promise<SavedFragment> {
    await (content === undefined ? this.flush() : this.#writer.sending);
    if (this.#isPartial) content ??= this.#text;
    const input: FinishDraftInput = { chatId: this.chatId, id: this.id };
    if (content !== undefined) input.content = contentOf(content);
    const { finishDraft } = await lasting(this.parley, () => this.parley.run(FinishDraft, { input }));
    this.options.finished?.(finishDraft);
    return finishDraft;
  }

  /** Discards the draft without saving a message. */
  async discard(): Promise<void> {
    this.#stopping.abort(new ClosedError());
    await this.#writer.sending;
    await this.parley.run(DiscardDraft, { input: { chatId: this.chatId, id: this.id } });
  }
}

/** Repeats a request while the server is unreachable: each request is idempotent. */
const lasting = <Result>({ retryDelay }: Parley, ask: () => Promise<Result>, signal?: AbortSignal): Promise<Result> =>
  retry(ask, retryDelay, signal, (reason, tries) => isUnreachable(reason) && tries < 10);
