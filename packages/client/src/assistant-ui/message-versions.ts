/** The thread that is shown, and all versions of its messages, as assistant-ui keeps them. */
import { ExportedMessageRepository, INTERNAL, type ThreadMessage, type ThreadMessageLike } from '@assistant-ui/react';
import type { Message } from '../store/message.js';
import type { ThreadState } from '../store/thread-state.js';
import type { ThreadStore } from '../store/thread-store.js';
import { attachmentsOf } from './attachments.js';

/** Its `id`, `createdAt` and `status` are set behind it. */
export type ToMessage = (message: Message) => Pick<ThreadMessageLike, 'role' | 'content' | 'metadata' | 'attachments'>;

/** What the runtime is given. */
interface Shown {
  messageRepository: ExportedMessageRepository;
  unstable_messageRepositoryInstance: InstanceType<typeof INTERNAL.MessageRepository>;
}

/** Of versions that nobody has read: an arrow leads to one only when its neighbour knows its id. */
const UNREAD = 'parley:unread:';

export class MessageVersions {
  /** Messages never change: what is the same here is the same there, and is not rendered again. */
  readonly #made = new WeakMap<Message, ThreadMessage>();
  /** The ids of the versions under each message of the thread, as they were given last. */
  #order = new Map<string | null, readonly string[]>();
  #repository = new INTERNAL.MessageRepository();

  constructor(
    private readonly store: ThreadStore,
    private readonly toMessage: ToMessage = plain,
  ) {}

  /** A new object each time: only that makes the runtime forget where it went by itself. */
  look({ thread, childrenMap }: ThreadState, _turn: number): Shown {
    const order = new Map<string | null, readonly string[]>();
    const messages: ExportedMessageRepository['messages'] = [];
    thread.forEach((message, n) => {
      const parentId = thread[n - 1]?.id ?? null;
      const seen = new Map(childrenMap.get(message.parentId)?.map((version) => [version.id, version]));
      seen.set(message.id, message);
      const ids = this.#versionsOf(message, [...seen.keys()]);
      order.set(parentId, ids);
      for (const id of ids) messages.push({ parentId, message: this.#make(seen.get(id), id) });
    });
    // There, what is new goes behind what is there. A version between others takes a new beginning.
    const fits = [...order].every(([parentId, ids]) => {
      const before = this.#order.get(parentId) ?? [];
      const kept = before.filter((id) => ids.includes(id));
      return kept.every((id, n) => ids[n] === id);
    });
    if (!fits) this.#repository = new INTERNAL.MessageRepository();
    this.#order = order;
    return {
      messageRepository: { headId: thread.at(-1)?.id ?? null, messages },
      unstable_messageRepositoryInstance: this.#repository,
    };
  }

  /** The version that an arrow has led to; undefined when it was something else that has changed. */
  chosenIn(messages: readonly ThreadMessage[]): string | undefined {
    const shown = new Set(this.store.getState().thread.map(({ id }) => id));
    const versions = new Set([...this.#order.values()].flat());
    return messages.find(({ id }) => versions.has(id) && !shown.has(id) && !id.startsWith(UNREAD))?.id;
  }

  /** In their order, with a place for each that was not read. */
  #versionsOf({ id, parentId }: Message, seen: readonly string[]): string[] {
    const infos = seen.map((seenId) => ({ seenId, info: this.store.getMessageSiblingInfo(seenId) }));
    const count = Math.max(0, ...infos.map(({ info }) => info?.siblingCount ?? 0));
    const ids = Array.from({ length: count }, (_, n) => `${UNREAD}${parentId ?? ''}:${n}`);
    for (const { seenId, info } of infos) {
      if (info === null) continue;
      if (info.previousId !== null) ids[info.siblingIndex - 1] = info.previousId;
      if (info.nextId !== null) ids[info.siblingIndex + 1] = info.nextId;
      ids[info.siblingIndex] = seenId;
    }
    // One that is being written will be the newest.
    return ids.includes(id) ? ids : [...ids, id];
  }

  #make(message: Message | undefined, id: string): ThreadMessage {
    const made = message && this.#made.get(message);
    if (made !== undefined) return made;
    const like: ThreadMessageLike =
      message === undefined
        ? { id, role: 'assistant', content: [] }
        : { ...this.toMessage(message), id, createdAt: new Date(message.createdAt), ...statusOf(message) };
    const [item] = ExportedMessageRepository.fromBranchableArray([{ message: like, parentId: null }]).messages;
    if (item === undefined) throw new Error('assistant-ui has made no message of one');
    if (message !== undefined) this.#made.set(message, item.message);
    return item.message;
  }
}

function plain({ name, text, data }: Message): ReturnType<ToMessage> {
  const role = name === 'user' || name === 'system' ? name : 'assistant';
  return { role, content: [{ type: 'text', text }], ...(role === 'user' && { attachments: attachmentsOf(data) }) };
}

/** Only of the assistant's: those of others have none. */
function statusOf({ name, status }: Message): Pick<ThreadMessageLike, 'status'> {
  if (name === 'user' || name === 'system') return {};
  if (status === 'streaming' || status === 'stopping') return { status: { type: 'running' } };
  if (status === 'abandoned') return { status: { type: 'incomplete', reason: 'error' } };
  return { status: { type: 'complete', reason: 'stop' } };
}
