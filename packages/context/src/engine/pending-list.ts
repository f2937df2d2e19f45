import { MAX_MESSAGES_PER_SAVE } from '@parley/transport/server-limits';
import { invalid } from '../errors.js';
import type { ContextFragment } from '../fragments/fragment.js';
import type { NewMessageData } from '../store/store-data.js';
import { decodePending, type DecodedMessage, type NamedMessage } from '../messages/pending-message.js';
import { WaitingMessage } from './waiting-message.js';

/** The unsaved messages of an engine. */
export class PendingList {
  #messages: readonly WaitingMessage[] = [];

  get fragments(): ContextFragment[] {
    return this.#messages.map(({ fragment }) => fragment);
  }

  add(fragments: readonly ContextFragment[]): void {
    this.#messages = [...this.#messages, ...fragments.map((fragment) => new WaitingMessage(fragment))];
  }

  /** The messages pending now: a call that waits for its turn must not include later ones. */
  snapshot(): readonly WaitingMessage[] {
    return this.#messages;
  }

  /** The messages of a snapshot that no other call has saved meanwhile. */
  left(snapshot: readonly WaitingMessage[]): readonly WaitingMessage[] {
    const pending = new Set(this.#messages);
    return snapshot.filter((each) => pending.has(each));
  }

  /** Removes messages; those set meanwhile stay. */
  drop(messages: readonly WaitingMessage[]): void {
    const dropped = new Set(messages);
    this.#messages = this.#messages.filter((each) => !dropped.has(each));
  }
}

/**
 * Pending messages as a model receives them.
 * @param path the messages of the branch, root first
 */
export function decodeWaiting(path: readonly NamedMessage[], messages: readonly WaitingMessage[]): DecodedMessage[] {
  const decoded = decodePending(path, messages);
  for (const [index, { id, isFirst }] of decoded.entries()) {
    const first = isFirst ? messages[index] : undefined;
    // The first assistant message keeps the id that a model has seen.
    if (first !== undefined) first.id = id;
  }
  return decoded;
}

/**
 * Pending messages as they are saved.
 * @throws ContextError that names the fragment and the reason: a duplicate id, data that is not JSON
 */
export function encodeWaiting(messages: readonly WaitingMessage[]): NewMessageData[] {
  const saved = messages.filter(({ persist }) => persist);
  if (saved.length > MAX_MESSAGES_PER_SAVE) {
    throw invalid(`${saved.length} messages are pending, but one save takes ${MAX_MESSAGES_PER_SAVE} at most`);
  }
  const places = new Map<string, number>();
  return saved.map((message, index) => {
    const { id, name } = message;
    const earlier = id === null ? undefined : places.get(id);
    if (earlier !== undefined) {
      const both = `messages ${earlier} and ${index}`;
      throw invalid(`Fragment "${name}": the id "${id}" is given twice in one save, by ${both}`, `${index}.id`);
    }
    if (id !== null) places.set(id, index);
    return message.encode(String(index));
  });
}
