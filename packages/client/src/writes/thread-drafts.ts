/** Stops and finishes the drafts of a chat; the writer of the page starts and continues them. */
import { DiscardDraft, FinishDraft, StopDraft } from '../generated/operations.js';
import { contentOf, messageOf, type Content, type Message } from '../message.js';
import { abandonedDraft } from './abandoned-draft.js';
import type { MessageWrites } from './message-writes.js';
import type { Outcome } from '../outcome.js';
import { codeOf, ParleyError } from '@parley/transport/errors';
import type { DraftWriter } from './draft-writer.js';
import type { AskedOf, ThreadWriter } from './thread-writer.js';

/** A sent message, and the writer of its answer. */
export type Asked = AskedOf<DraftWriter>;

export class ThreadDrafts {
  readonly #writer: ThreadWriter<DraftWriter> | undefined;

  /** @param writer undefined in a store that follows answers without writing them */
  constructor(
    private readonly messages: MessageWrites,
    writer: typeof DraftWriter | undefined,
  ) {
    this.#writer = writer?.of(messages);
  }

  /** Runs a function of the writer. */
  async with<Value>(run: (writer: ThreadWriter<DraftWriter>) => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
    if (this.#writer) return run(this.#writer);
    return { ok: false, error: new ParleyError('Pass the option writer', 'INVALID_INPUT') };
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
      return this.#end(await abandonedDraft(this.messages, id, signal), signal, content);
    });
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
