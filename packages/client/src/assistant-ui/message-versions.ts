/** Converts the shown thread and all versions of its messages to assistant-ui's message repository. */
import { ExportedMessageRepository, INTERNAL, type ThreadMessage, type ThreadMessageLike } from '@assistant-ui/react';
import type { Message } from '../message.js';
import type { ThreadState } from '../store/thread-state.js';
import type { ThreadStore } from '../thread-store.js';
import type { Files, MessageWithParts } from '../files/files.js';
import { filePartsOf } from './attachments.js';
import { withParts, type ToMessage } from './message-parts.js';

/** The shown thread of a chat, such as the result of `useParleyChat`. */
export interface ShownChat {
  readonly messages: readonly { readonly id: string }[];
  readonly status: string;
}

/** The options of the runtime. */
interface Shown {
  messageRepository: ExportedMessageRepository;
  unstable_messageRepositoryInstance: InstanceType<typeof INTERNAL.MessageRepository>;
}

/** The id prefix of unread versions. An arrow leads to a version after its neighbour was read, which has its id. */
const UNREAD = 'parley:unread:';

export class MessageVersions {
  /** Messages are immutable: an unchanged message is the same object here, and is not rendered again. */
  readonly #made = new WeakMap<Message, { data: unknown; isIdle: boolean; message: ThreadMessage }>();
  /** The UIMessages of the shown thread, by id: also those of answers that are being written. */
  #parts = new Map<string, object>();
  /** Whether no answer is being written: an open one waits for the outputs of tools. */
  #isIdle = false;
  /** The UIMessages of messages with files. */
  readonly #withFiles = new WeakMap<Message, MessageWithParts>();
  /** The last ids of the versions under each message of the thread. */
  #order = new Map<string | null, readonly string[]>();
  #repository = new INTERNAL.MessageRepository();

  constructor(
    private readonly store: ThreadStore,
    private readonly toMessage: ToMessage = withParts,
    private readonly files?: Files,
  ) {}

  /**
   * Returns a new object each time: only this resets the runtime's own navigation.
   * @param chat shows the parts of an answer that is being written
   */
  render({ thread, childrenMap }: ThreadState, _changes: unknown, chat?: ShownChat): Shown {
    this.#parts = new Map(chat?.messages.map((message) => [message.id, message]));
    this.#isIdle = chat?.status === 'ready';
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
    // The repository appends new versions. A version between others needs a new repository.
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

  /** The version that an arrow leads to; undefined for other changes. */
  chosenIn(messages: readonly ThreadMessage[]): string | undefined {
    const shown = new Set(this.store.getState().thread.map(({ id }) => id));
    const versions = new Set([...this.#order.values()].flat());
    return messages.find(({ id }) => versions.has(id) && !shown.has(id) && !id.startsWith(UNREAD))?.id;
  }

  /** In order, with a placeholder for each unread version. */
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
    // A draft will be the newest version.
    return ids.includes(id) ? ids : [...ids, id];
  }

  #make(message: Message | undefined, id: string): ThreadMessage {
    const made = message && this.#made.get(message);
    const data = message && (this.#parts.get(id) ?? this.#shownData(message));
    const isIdle = this.#isIdle;
    if (made !== undefined && made.data === data && made.isIdle === isIdle) return made.message;
    const like: ThreadMessageLike =
      message === undefined
        ? { id, role: 'assistant', content: [] }
        : {
            ...this.toMessage({ ...message, data }),
            id,
            createdAt: new Date(message.createdAt),
            ...statusOf(message, isIdle),
          };
    const [item] = ExportedMessageRepository.fromBranchableArray([{ message: like, parentId: null }]).messages;
    if (item === undefined) throw new Error('assistant-ui returned no message');
    if (message !== undefined) this.#made.set(message, { data, isIdle, message: item.message });
    return item.message;
  }

  /** The data of a message, with URLs in place of references to files; the same object until a URL changes. */
  #shownData(message: Message): unknown {
    if (this.files === undefined || filePartsOf(message.data).length === 0) return message.data;
    let whole = this.#withFiles.get(message);
    if (whole === undefined) {
      whole = { ...(message.data as MessageWithParts), id: message.id };
      this.#withFiles.set(message, whole);
    }
    return this.files.show([whole])[0];
  }
}

/** Only assistant messages have a status. */
function statusOf({ name, status }: Message, isIdle: boolean): Pick<ThreadMessageLike, 'status'> {
  if (name === 'user' || name === 'system') return {};
  if (status === 'streaming' && isIdle) return { status: { type: 'requires-action', reason: 'tool-calls' } };
  if (status === 'streaming' || status === 'stopping') return { status: { type: 'running' } };
  if (status === 'abandoned') return { status: { type: 'incomplete', reason: 'error' } };
  return { status: { type: 'complete', reason: 'stop' } };
}
