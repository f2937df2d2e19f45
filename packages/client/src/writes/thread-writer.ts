/**
 * Starts and continues the drafts of a store. It is a part of `@parley/client/writer`: pages that follow answers do not
 * load it.
 */
import type { WriterOf } from '../drafts/draft-requests.js';
import { AppendToDraft, StartDraft, type StartDraftInput, type WrittenFragment } from '../generated/operations.js';
import { now, type Content, type Message } from '../message.js';
import type { Outcome } from '../outcome.js';
import { abandonedDraft } from './abandoned-draft.js';
import { expectedHead } from './expected-head.js';
import type { MessageWrites } from './message-writes.js';

export interface Writing {
  /** The message to answer, unless it is the end of the thread: adds another answer. */
  parentId?: string;
  /** @default 'assistant' */
  name?: string;
  /** The id of the draft and of its message. */
  id?: string;
  metadata?: unknown;
  /** Seconds without output after which the draft is abandoned. */
  idleTimeout?: number;
}

/** A sent message, and the writer of its answer. */
export interface AskedOf<Writer> {
  message: Message;
  writer: Writer;
}

type Started = StartDraftInput & { id: string };

export class ThreadWriter<Writer> {
  constructor(
    private readonly messages: MessageWrites,
    private readonly writer: WriterOf<Writer>,
  ) {}

  async write({ parentId, ...given }: Writing): Promise<Outcome<Writer>> {
    const { parley, model } = this.messages;
    const { view } = model;
    const { leafId, isLoose } = view;
    const message = parentId ?? leafId;
    const place =
      message !== null && (isLoose || message !== leafId)
        ? { at: { message } }
        : { expectedHead: expectedHead(leafId), ...view.named };
    const input = this.#inputOf(given, place);
    view.watchDraft(input.id, parentId);
    this.#show(input);
    const outcome = await this.messages.add((signal) => parley.run(StartDraft, { input }, signal));
    if (outcome.ok) return { ok: true, value: this.#writer(outcome.value.startDraft.draft) };
    model.drafts.drop(input.id);
    return outcome;
  }

  async ask(content: Content, given: Writing): Promise<Outcome<AskedOf<Writer>>> {
    const { model } = this.messages;
    const { view } = model;
    const id = crypto.randomUUID();
    const input = this.#inputOf(given, { expectedHead: { id }, ...view.named });
    let writer: Writer | undefined;
    const started = (draft?: WrittenFragment) => {
      if (draft) writer = this.#writer(draft);
      else model.drafts.drop(input.id);
    };
    const sending = this.messages.send(content, { id }, { input, started });
    view.watchDraft(input.id);
    this.#show(input);
    const sent = await sending;
    if (!sent.ok) {
      model.drafts.drop(input.id);
      return sent;
    }
    // Without a writer, a conflict was resolved, or the draft was refused.
    const writing: Outcome<Writer> = writer
      ? { ok: true, value: writer }
      : await this.write({ ...given, id: input.id });
    if (!writing.ok) return writing;
    return { ok: true, value: { message: sent.value.find((one) => one.id === id) as Message, writer: writing.value } };
  }

  takeUp(id: string): Promise<Outcome<Writer>> {
    return this.messages.add(async (signal) => {
      const draft = await abandonedDraft(this.messages, id, signal);
      const input = { id, offset: draft.length, chunks: [] };
      const { state } = (await this.messages.run(AppendToDraft, input, signal)).appendToDraft.draft;
      return this.#writer({ ...draft, state });
    });
  }

  #inputOf({ id = crypto.randomUUID(), ...given }: Writing, place: Partial<StartDraftInput>): Started {
    return { ...given, ...place, chatId: this.messages.model.chatId, id };
  }

  /** Shows a draft before the server knows it. */
  #show({ id, name = 'assistant', metadata = null, ...place }: Started): void {
    const parentId = place.at?.message ?? place.expectedHead?.id ?? null;
    const { drafts, view } = this.messages.model;
    drafts.begin({
      id,
      name,
      parent: parentId === null ? null : { id: parentId },
      branch: { id: view.branch?.id ?? '' },
      metadata,
      length: 0,
      state: 'WRITING',
      startedAt: now(),
      startedBy: null,
    });
  }

  #writer(draft: WrittenFragment): Writer {
    const { id, length, parent } = draft;
    const { parley, model } = this.messages;
    const { chatId, drafts, view } = model;
    drafts.follow(draft);
    return new this.writer(parley, chatId, id, {
      length,
      appended: (offset, chunks) => drafts.grow(id, offset, chunks),
      // The next message follows the draft, also before the events of the chat contain its message.
      finished: (saved) => {
        if (view.leafId === (parent?.id ?? null) && (view.draft?.id ?? id) === id) this.messages.saved(saved);
      },
    });
  }
}
