/** Converts the messages of a thread to UIMessages: the same objects and list until they change. */
import type { UIMessage } from 'ai';
import type { Message } from '../message.js';
import { isSame } from '../store/same.js';
import type { ThreadState } from '../store/thread-state.js';
import { DraftAssembly } from './draft-assembly.js';

export class UIMessages<Shown extends UIMessage> {
  readonly #saved = new WeakMap<Message, Shown>();
  readonly #drafts = new Map<string, DraftAssembly<Shown>>();
  #list: Shown[] = [];

  constructor(private readonly changed: () => void) {}

  /** Follows the drafts of a thread, and removes those that have ended. */
  follow({ thread, drafts }: ThreadState): void {
    const shown = new Set(thread.filter(isOpen));
    const open = new Map(drafts.filter(({ message }) => shown.has(message)).map((draft) => [draft.id, draft]));
    for (const [id, assembly] of this.#drafts) {
      if (open.has(id)) continue;
      assembly.close();
      this.#drafts.delete(id);
    }
    for (const [id, { chunks }] of open) {
      let assembly = this.#drafts.get(id);
      if (assembly === undefined) this.#drafts.set(id, (assembly = new DraftAssembly<Shown>(id, this.changed)));
      assembly.feed(chunks);
    }
  }

  /** An answer of the thread that is being written. */
  draft(id: string | undefined): DraftAssembly<Shown> | undefined {
    return id === undefined ? undefined : this.#drafts.get(id);
  }

  /** @param patch adds unsent tool outputs to an unsaved message */
  list({ thread }: ThreadState, patch: (message: Shown) => Shown): Shown[] {
    const list = thread.map((message) => {
      const draft = isOpen(message) ? this.#drafts.get(message.id)?.message : undefined;
      return draft === undefined ? this.of(message) : patch(draft);
    });
    return isSame(this.#list, list) ? this.#list : (this.#list = list);
  }

  of(message: Message): Shown {
    let shown = this.#saved.get(message);
    if (shown === undefined) this.#saved.set(message, (shown = uiMessageOf(message) as Shown));
    return shown;
  }
}

/** Whether a message of a thread is being written. */
export const isOpen = ({ status }: Message): boolean =>
  status === 'streaming' || status === 'stopping' || status === 'abandoned';

function uiMessageOf(message: Message): UIMessage {
  const { id, name, text, data } = message;
  const { role, parts } = (data ?? {}) as Partial<UIMessage>;
  if (typeof role === 'string' && Array.isArray(parts)) return { ...(data as UIMessage), id };
  const isAssistant = name !== 'user' && name !== 'system';
  return {
    id,
    role: isAssistant ? 'assistant' : name,
    parts: isOpen(message) && text === '' ? [] : [{ type: 'text', text }],
  };
}
