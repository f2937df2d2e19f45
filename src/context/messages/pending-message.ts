/** Messages that are not saved yet: checked, with their ids looked up, and made ready to be saved. */
import { invalid } from '../errors.js';
import type { ContextFragment } from '../fragments/fragment.js';
import type { NewMessageData } from '../store/store-data.js';
import type { FragmentCodec } from './codec.js';
import { toJsonValue } from './json-value.js';
import { isLazyFragment, LAZY_ID, type LazyFragment } from './lazy-message.js';
import { textMessage, textOf } from './ui-message.js';

/** What is known of a message that may be the newest assistant one. */
export interface NamedMessage {
  id: string;
  name: string;
}

export interface PendingMessage {
  /** null for a lazy one: it is another version of the newest assistant message before it. */
  id: string | null;
  name: string;
  /** What a model is given, of the message under this id. */
  decode(id: string): unknown;
}

export interface DecodedMessage extends NamedMessage {
  /** What a model is given. */
  message: unknown;
  /** Whether it was lazy, and there was no message of which it could be another version. */
  isFirst: boolean;
}

/**
 * Checks what can be checked before a message is saved.
 * @throws ContextError that names the fragment and the reason
 */
export function checkMessage(fragment: ContextFragment, path: string): void {
  const { name } = fragment;
  if (typeof name !== 'string' || name === '') throw invalid(`Fragment ${path}: a message must have a name`, path);
  if (fragment.id !== undefined && (typeof fragment.id !== 'string' || fragment.id === '')) {
    throw invalid(`Fragment "${name}": its id must be a text that is not empty`, `${path}.id`);
  }
  if (isLazyFragment(fragment)) checkLazy(fragment, path);
  else codecOf(fragment, path);
}

function checkLazy(fragment: LazyFragment, path: string): void {
  const { type, content } = fragment[LAZY_ID];
  // Plain JavaScript may have put in anything.
  if ((type as string) !== 'last-assistant') {
    throw invalid(`Fragment "${fragment.name}": there is no lazy id of the kind "${String(type)}"`, path);
  }
  if (typeof content !== 'string') throw invalid(`Fragment "${fragment.name}": its content must be a text`, path);
}

function codecOf(fragment: ContextFragment, path: string): FragmentCodec {
  const codec = fragment.codec as Partial<FragmentCodec> | undefined;
  if (typeof codec?.decode !== 'function' || typeof codec.encode !== 'function') {
    throw invalid(`Fragment "${fragment.name}": a message must have a codec, which decodes and encodes`, path);
  }
  return codec as FragmentCodec;
}

/**
 * What a model is given of messages that are not saved yet. A lazy one stands for the newest assistant message before it:
 * among those that are pending, else on the branch, else a new one.
 * @param path those of the branch, root first
 */
export function decodePending(path: readonly NamedMessage[], pending: readonly PendingMessage[]): DecodedMessage[] {
  let newest = path.findLast(isAssistant)?.id;
  return pending.map((each) => {
    const isFirst = each.id === null && newest === undefined;
    const id = each.id ?? newest ?? crypto.randomUUID();
    if (isAssistant(each)) newest = id;
    return { id, name: each.name, message: each.decode(id), isFirst };
  });
}

function isAssistant({ name }: { name: string }): boolean {
  return name === 'assistant';
}

/** A message that waits to be saved: a fragment that was checked, and the id that it has or will have. */
export class WaitingMessage implements PendingMessage {
  /**
   * Under which it is saved, made where the fragment has none: whoever saves again, because the answer was lost, has to send
   * the same. null for a lazy one, unless it was shown to a model as the first of its chat: it keeps the id it had there.
   */
  id: string | null;

  constructor(readonly fragment: ContextFragment) {
    this.id = isLazyFragment(fragment) ? null : (fragment.id ?? crypto.randomUUID());
  }

  get name(): string {
    return this.fragment.name;
  }

  decode(id: string): unknown {
    const { fragment, name } = this;
    return isLazyFragment(fragment) ? textMessage(id, name, fragment[LAZY_ID].content) : codecOf(fragment, '').decode();
  }

  /**
   * What is saved of it.
   * @param path where it stands, for errors
   * @throws ContextError that names the fragment and the reason
   */
  encode(path: string): NewMessageData {
    const { fragment, id, name } = this;
    const content = isLazyFragment(fragment)
      ? { text: fragment[LAZY_ID].content }
      : encodeContent(codecOf(fragment, path), { id, name, path });
    return id === null ? { lazyId: 'LAST_ASSISTANT', name, content } : { id, name, content };
  }
}

/**
 * What is saved of messages.
 * @throws ContextError that names the fragment and the reason: an id that is given twice, data that is not JSON
 */
export function encodePending(pending: readonly WaitingMessage[]): NewMessageData[] {
  const places = new Map<string, number>();
  return pending.map((each, index) => {
    const { id, name } = each;
    const earlier = id === null ? undefined : places.get(id);
    if (earlier !== undefined) {
      const both = `messages ${earlier} and ${index}`;
      throw invalid(`Fragment "${name}": the id "${id}" is given twice in one save, by ${both}`, `${index}.id`);
    }
    if (id !== null) places.set(id, index);
    return each.encode(String(index));
  });
}

function encodeContent(
  codec: FragmentCodec,
  { id, name, path }: { id: string | null; name: string; path: string },
): NewMessageData['content'] {
  try {
    const encoded = codec.encode();
    const text = id === null ? null : textOf(encoded, id, name);
    if (text !== null) return { text };
    const data = toJsonValue(encoded);
    if (data !== null) return { data };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(`Fragment "${name}": its data cannot be stored: ${reason}`, path);
  }
  throw invalid(`Fragment "${name}": a message must not be null`, path);
}
