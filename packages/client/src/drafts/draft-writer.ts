/** Writes a message while others watch: what it is given goes to the server in order, as fast as that takes it. */
import type { Parley } from '../connection/create-parley.js';
import {
  asParleyError,
  ClosedError,
  DraftOffsetError,
  UnreachableError,
  type ParleyError,
} from '../connection/errors.js';
import { pause } from '../connection/pause.js';
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

/** How many chunks the server takes at once. */
const MOST = 500;

/** Takes chunks that will be sent, and the offset of the first in the draft. */
type Appended = (offset: number, chunks: readonly unknown[]) => void;

export class DraftWriter {
  readonly #stopping = new AbortController();
  /** By their offset in the draft; empty where another writer sent them. */
  readonly #chunks: unknown[] = [];
  #sent = 0;
  #sending: Promise<void> | undefined;
  #failure: ParleyError | undefined;

  readonly #appended: Appended;

  /**
   * Writes a draft that was started before.
   * @param id of the draft, and of the message that it becomes
   * @param given.length how many chunks the draft has; 0 by default
   * @param given.appended is called by `append`
   */
  constructor(
    private readonly parley: Parley,
    readonly chatId: string,
    readonly id: string,
    { length = 0, appended = () => {} }: { length?: number; appended?: Appended } = {},
  ) {
    this.#chunks.length = this.#sent = length;
    this.#appended = appended;
  }

  /**
   * Begins a message.
   * @throws RefusedError and what else Parley.run throws
   */
  static async start(parley: Parley, input: StartDraftInput): Promise<DraftWriter> {
    const id = input.id ?? crypto.randomUUID();
    await lasting(parley, undefined, () => parley.run(StartDraft, { input: { ...input, id } }));
    return new DraftWriter(parley, input.chatId, id);
  }

  /** Aborted when somebody asks the writer to stop, when the draft is gone, or when it cannot be written on. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Adds what was produced; it is sent while the next is being made. */
  append(...chunks: unknown[]): void {
    const offset = this.#chunks.length;
    this.#chunks.push(...chunks);
    this.#appended(offset, chunks);
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
  }

  /**
   * Saves the message.
   * @param content what is saved; the text of all chunks by default
   * @throws RefusedError and what else Parley.run throws; the draft is still there then
   */
  async finish(content?: Content): Promise<SavedFragment> {
    await this.#sending;
    if (this.#failure !== undefined) throw this.#failure;
    const input: FinishDraftInput = { chatId: this.chatId, id: this.id };
    if (content !== undefined) input.content = contentOf(content);
    const { finishDraft } = await lasting(this.parley, undefined, () => this.parley.run(FinishDraft, { input }));
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
    const offset = this.#sent;
    const chunks = this.#chunks.slice(offset, offset + MOST);
    const input = { chatId: this.chatId, id: this.id, offset, chunks };
    try {
      const { appendToDraft } = await lasting(this.parley, this.signal, () =>
        this.parley.run(AppendToDraft, { input }),
      );
      this.#sent = offset + chunks.length;
      if (appendToDraft.draft.state === 'STOPPING') this.#stopping.abort(new ClosedError());
    } catch (reason) {
      // What it was sent twice it has, and nobody else writes here.
      if (!(reason instanceof DraftOffsetError) || reason.length <= offset || reason.length > this.#chunks.length)
        throw reason;
      this.#sent = reason.length;
    }
  }
}

/** Asks again while the server is away: each of these can be said twice. */
async function lasting<Answer>(
  { retryDelay }: Parley,
  signal: AbortSignal | undefined,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (reason) {
      if (!(reason instanceof UnreachableError) || signal?.aborted === true || tries >= 10) throw reason;
      await pause(retryDelay(tries), signal ?? new AbortController().signal);
    }
  }
}
