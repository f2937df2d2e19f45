/** Starts, stops, finishes and continues the drafts of a chat. */
import {
  AppendToDraft,
  DiscardDraft,
  FinishDraft,
  ReadDrafts,
  StartDraft,
  StopDraft,
  type StartDraftInput,
  type WrittenFragment,
} from '../generated/operations.js';
import { contentOf, messageOf, now, type Content, type Message } from '../message.js';
import type { MessageWrites } from './message-writes.js';
import type { Outcome } from '../outcome.js';
import { codeOf, ParleyError } from '@parley/transport/errors';
import type { DraftWriter } from '../drafts/draft-writer.js';

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
export interface Asked {
  message: Message;
  writer: DraftWriter;
}

type Started = StartDraftInput & { id: string };

export class ThreadDrafts {
  constructor(
    private readonly messages: MessageWrites,
    /** Undefined in a store that follows answers without writing them. */
    private readonly writer: typeof DraftWriter | undefined,
  ) {}

  async write({ parentId, ...given }: Writing): Promise<Outcome<DraftWriter>> {
    const { parley, model } = this.messages;
    const { view } = model;
    if (!this.writer) return NO_WRITER;
    const { leafId, isLoose } = view;
    const place =
      isLoose || (parentId ?? leafId) !== leafId
        ? { parentId: parentId ?? leafId }
        : { expectedHeadId: leafId, ...view.named };
    const input = this.#inputOf(given, place);
    view.watchDraft(input.id, parentId);
    this.#show(input);
    const outcome = await this.messages.add((signal) => parley.run(StartDraft, { input }, signal));
    if (outcome.ok) return { ok: true, value: this.#writer(outcome.value.startDraft.draft) };
    model.drafts.drop(input.id);
    return outcome;
  }

  async ask(content: Content, given: Writing): Promise<Outcome<Asked>> {
    const { model } = this.messages;
    const { view } = model;
    if (!this.writer) return NO_WRITER;
    const id = crypto.randomUUID();
    const input = this.#inputOf(given, { expectedHeadId: id, ...view.named });
    let writer: DraftWriter | undefined;
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
    const writing: Outcome<DraftWriter> = writer
      ? { ok: true, value: writer }
      : await this.write({ ...given, id: input.id });
    if (!writing.ok) return writing;
    return { ok: true, value: { message: sent.value.find((one) => one.id === id) as Message, writer: writing.value } };
  }

  stop(draftId: string | undefined): Promise<Outcome<readonly string[]>> {
    const { drafts, state } = this.messages.model;
    // Also other versions of shown messages.
    const parents = state.thread.map(({ parentId }) => parentId);
    const shown = drafts.list.filter(({ parentId }) => parents.includes(parentId)).map(({ id }) => id);
    return this.messages.add(async (signal) => {
      const stopped: string[] = [];
      for (const id of draftId ? [draftId] : shown) {
        try {
          const { stopDraft } = await this.messages.run(StopDraft, { id }, signal);
          if (stopDraft.draft.state === 'ABANDONED') await this.#end(stopDraft.draft, signal);
          stopped.push(id);
        } catch (reason) {
          // The draft has ended.
          if (codeOf(reason) !== 'NOT_FOUND') throw reason;
        }
      }
      return stopped;
    });
  }

  finish(id: string, content?: Content): Promise<Outcome<Message | null>> {
    return this.messages.add(async (signal) => {
      return this.#end(await this.#abandoned(id, signal), signal, content);
    });
  }

  async takeUp(id: string): Promise<Outcome<DraftWriter>> {
    if (!this.writer) return NO_WRITER;
    return this.messages.add(async (signal) => {
      const draft = await this.#abandoned(id, signal);
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
    const parentId = place.parentId ?? place.expectedHeadId ?? null;
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

  #writer(draft: WrittenFragment): DraftWriter {
    const { id, length, parent } = draft;
    const { parley, model } = this.messages;
    const { chatId, drafts, view } = model;
    const Writer = this.writer as typeof DraftWriter;
    drafts.follow(draft);
    return new Writer(parley, chatId, id, {
      length,
      appended: (offset, chunks) => drafts.grow(id, offset, chunks),
      // The next message follows the draft, also before the events of the chat contain its message.
      finished: (saved) => {
        if (view.leafId === (parent?.id ?? null) && (view.draft?.id ?? id) === id) this.messages.saved(saved);
      },
    });
  }

  /** @throws ParleyError while the draft is being written, or after it has ended */
  async #abandoned(id: string, signal: AbortSignal): Promise<WrittenFragment> {
    const { parley, model } = this.messages;
    const { chat } = await parley.run(ReadDrafts, { chatId: model.chatId }, signal);
    const draft = chat?.drafts.find((one) => one.id === id);
    if (!draft) throw new ParleyError('The answer has ended', 'NOT_FOUND');
    if (draft.state !== 'ABANDONED') throw new ParleyError('The answer is being written', 'NOT_ABANDONED');
    return draft;
  }

  /** Ends an abandoned draft; without text and content it is discarded. */
  async #end(
    { id, length }: { id: string; length: number },
    signal: AbortSignal,
    content?: Content,
  ): Promise<Message | null> {
    const draft = this.messages.model.drafts.find(id);
    if (content === undefined && draft?.message.text === '' && draft.chunks.length >= length) {
      await this.messages.run(DiscardDraft, { id }, signal);
      return null;
    }
    const input = { id, ...(content !== undefined && { content: contentOf(content) }) };
    const { messages } = (await this.messages.run(FinishDraft, input, signal)).finishDraft;
    return messages.map(messageOf)[0] ?? null;
  }
}

const NO_WRITER = {
  ok: false,
  error: new ParleyError('Pass the option writer', 'INVALID_INPUT'),
} as const;
