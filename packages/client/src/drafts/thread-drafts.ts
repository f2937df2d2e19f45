/** The drafts of a thread: writes, stops, ends and takes them up, and shows the one at the end of the thread. */
import type { Parley } from '../connection/create-parley.js';
import { codeOf, ParleyError } from '@parley/transport/errors';
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
import { contentOf, messageOf, type Content, type Message } from '../store/message.js';
import type { MessageTree } from '../store/message-tree.js';
import type { Outcome } from '../store/outcome.js';
import type { ThreadView } from '../store/thread-view.js';
import type { ThreadWrites } from '../store/thread-writes.js';
import { ChatDrafts } from './chat-drafts.js';
import type { DraftWriter } from './draft-writer.js';

export interface Writing {
  /** The message to answer, where that is not the end of the thread: another answer to the same question. */
  parentId?: string;
  /** `assistant` by default. */
  name?: string;
  /** The id of the draft, and of the message that it becomes. */
  id?: string;
  metadata?: unknown;
  /** Seconds without output after which the draft is abandoned. */
  idleTimeout?: number;
}

/** A message that was sent, and the writer of its answer. */
export interface Asked {
  message: Message;
  writer: DraftWriter;
}

type Started = StartDraftInput & { id: string };

/** The parts of a store that drafts use. */
interface Shared {
  /** Undefined in a store that follows answers and writes none. */
  writer: typeof DraftWriter | undefined;
  tree: MessageTree;
  view: ThreadView;
  writes: ThreadWrites;
  changed(): void;
}

export class ThreadDrafts {
  readonly all: ChatDrafts;
  #shown: { thread: readonly Message[]; draft: Message; both: readonly Message[] } | undefined;

  constructor(
    private readonly parley: Parley,
    private readonly chatId: string,
    private readonly on: Shared,
  ) {
    this.all = new ChatDrafts(parley, chatId, on.changed, (id) => on.view.leaveDraft(id));
  }

  /** The drafts that are not messages yet. */
  get messages(): readonly Message[] {
    return this.all.list.map(({ message }) => message).filter(({ id }) => !this.on.tree.byId.has(id));
  }

  /** The thread with the draft after its end: the one that this page watches, or the newest. */
  showAfter(thread: readonly Message[], leafId: string | null): readonly Message[] {
    const below = this.messages.filter(({ parentId }) => parentId === leafId);
    const draft = below.find(({ id }) => id === this.on.view.draft?.id) ?? below.at(-1);
    if (draft === undefined) return thread;
    if (this.#shown?.thread !== thread || this.#shown.draft !== draft) {
      this.#shown = { thread, draft, both: [...thread, draft] };
    }
    return this.#shown.both;
  }

  async write({ parentId, ...given }: Writing): Promise<Outcome<DraftWriter>> {
    const { view, writes } = this.on;
    if (this.on.writer === undefined) return NO_WRITER;
    const { leafId, isLoose } = view;
    const place =
      isLoose || (parentId ?? leafId) !== leafId
        ? { parentId: parentId ?? leafId }
        : { expectedHeadId: leafId, ...view.named };
    const input = this.#inputOf(given, place);
    view.watchDraft(input.id, parentId);
    this.#show(input);
    const outcome = await writes.add((signal) => this.parley.run(StartDraft, { input }, signal));
    if (outcome.ok) return { ok: true, value: this.#writer(outcome.value.startDraft.draft) };
    this.all.drop(input.id);
    return outcome;
  }

  async ask(content: Content, given: Writing): Promise<Outcome<Asked>> {
    const { view, writes } = this.on;
    if (this.on.writer === undefined) return NO_WRITER;
    const id = crypto.randomUUID();
    const input = this.#inputOf(given, { expectedHeadId: id, ...view.named });
    let writer: DraftWriter | undefined;
    const started = (draft?: WrittenFragment) => {
      if (draft === undefined) this.all.drop(input.id);
      else writer = this.#writer(draft);
    };
    const sending = writes.send(content, { id }, { input, started });
    view.watchDraft(input.id);
    this.#show(input);
    const sent = await sending;
    if (!sent.ok) {
      this.all.drop(input.id);
      return sent;
    }
    // Without a writer, a conflict was resolved, or the draft was refused.
    const writing: Outcome<DraftWriter> =
      writer === undefined ? await this.write({ ...given, id: input.id }) : { ok: true, value: writer };
    if (!writing.ok) return writing;
    return { ok: true, value: { message: sent.value.find((one) => one.id === id) as Message, writer: writing.value } };
  }

  stop(draftId: string | undefined, thread: readonly Message[]): Promise<Outcome<readonly string[]>> {
    const shown = this.all.list.filter(({ message }) => thread.includes(message)).map(({ id }) => id);
    return this.on.writes.add(async (signal) => {
      const stopped: string[] = [];
      for (const id of draftId === undefined ? shown : [draftId]) {
        try {
          const { stopDraft } = await this.parley.run(StopDraft, { input: { chatId: this.chatId, id } }, signal);
          if (stopDraft.draft.state === 'ABANDONED') await this.#end(stopDraft.draft, signal);
          stopped.push(id);
        } catch (reason) {
          // It has ended.
          if (codeOf(reason) !== 'NOT_FOUND') throw reason;
        }
      }
      return stopped;
    });
  }

  finish(id: string, content?: Content): Promise<Outcome<Message | null>> {
    return this.on.writes.add(async (signal) => {
      return this.#end(await this.#abandoned(id, signal), signal, content);
    });
  }

  async takeUp(id: string): Promise<Outcome<DraftWriter>> {
    if (this.on.writer === undefined) return NO_WRITER;
    return this.on.writes.add(async (signal) => {
      const draft = await this.#abandoned(id, signal);
      const input = { chatId: this.chatId, id, offset: draft.length, chunks: [] };
      const { state } = (await this.parley.run(AppendToDraft, { input }, signal)).appendToDraft.draft;
      return this.#writer({ ...draft, state });
    });
  }

  #inputOf({ id = crypto.randomUUID(), ...given }: Writing, place: Partial<StartDraftInput>): Started {
    return { ...given, ...place, chatId: this.chatId, id };
  }

  /** Shows a draft before the server knows it. */
  #show({ id, name = 'assistant', metadata = null, ...place }: Started): void {
    const parentId = place.parentId ?? place.expectedHeadId ?? null;
    this.all.begin({
      id,
      name,
      parent: parentId === null ? null : { id: parentId },
      branch: { id: this.on.view.branch?.id ?? '' },
      metadata,
      length: 0,
      state: 'WRITING',
      startedAt: new Date().toISOString(),
      startedBy: null,
    });
  }

  #writer(draft: WrittenFragment): DraftWriter {
    const { id, length, parent } = draft;
    const { view, writes } = this.on;
    const Writer = this.on.writer as typeof DraftWriter;
    this.all.follow(draft);
    return new Writer(this.parley, this.chatId, id, {
      length,
      appended: (offset, chunks) => this.all.grow(id, offset, chunks),
      // The next message follows it, also before the events of the chat contain it.
      finished: (saved) => {
        if (view.leafId === (parent?.id ?? null) && (view.draft?.id ?? id) === id) writes.saved(saved);
      },
    });
  }

  /** @throws ParleyError when the draft is written still, or has ended */
  async #abandoned(id: string, signal: AbortSignal): Promise<WrittenFragment> {
    const { chat } = await this.parley.run(ReadDrafts, { chatId: this.chatId }, signal);
    const draft = chat?.drafts.find((one) => one.id === id);
    if (draft === undefined) throw new ParleyError('The answer has ended', 'NOT_FOUND');
    if (draft.state !== 'ABANDONED') throw new ParleyError('The answer is still being written', 'NOT_ABANDONED');
    return draft;
  }

  /** Ends an abandoned draft; without text there is nothing to save by default. */
  async #end(
    { id, length }: { id: string; length: number },
    signal: AbortSignal,
    content?: Content,
  ): Promise<Message | null> {
    const key = { chatId: this.chatId, id };
    const draft = this.all.find(id);
    if (content === undefined && draft?.message.text === '' && draft.chunks.length >= length) {
      await this.parley.run(DiscardDraft, { input: key }, signal);
      return null;
    }
    const input = { ...key, ...(content !== undefined && { content: contentOf(content) }) };
    const { messages } = (await this.parley.run(FinishDraft, { input }, signal)).finishDraft;
    return messages.map(messageOf)[0] ?? null;
  }
}

const NO_WRITER = {
  ok: false,
  error: new ParleyError('This store writes no answers: set its option writer', 'INVALID_INPUT'),
} as const;
