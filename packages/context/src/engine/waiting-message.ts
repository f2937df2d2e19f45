import { ContextError, invalid } from '../errors.js';
import type { ContextFragment } from '../fragments/fragment.js';
import { isRecord } from '../record.js';
import type { NewMessageData } from '../store/store-data.js';
import type { FragmentCodec } from '../codec.js';
import { toJsonValue } from '../messages/json-value.js';
import { isLazyFragment, LAZY_ID, type LazyFragment } from '../messages/lazy-message.js';
import { takeId } from '../messages/message-id.js';
import type { PendingMessage } from '../messages/pending-message.js';
import { textMessage, textOf } from '../messages/ui-message.js';

/** A message that waits to be saved: a checked fragment, and its present or future id. */
export class WaitingMessage implements PendingMessage {
  /**
   * Generated for a fragment without one, because a repeated save must send the same id. null for a lazy one, unless a
   * model has seen it as the first of its chat.
   */
  id: string | null;

  constructor(readonly fragment: ContextFragment) {
    this.id = isLazyFragment(fragment) ? null : takeId(fragment);
  }

  get name(): string {
    return this.fragment.name;
  }

  get persist(): boolean {
    return this.fragment.persist !== false;
  }

  decode(id: string): unknown {
    const { fragment, name } = this;
    if (isLazyFragment(fragment)) return textMessage(id, name, fragment[LAZY_ID].content);
    const decoded = asked(name, 'cannot be decoded', '', () => codecOf(fragment, '').decode());
    const text = textOf(decoded, fragment.id ?? id, name);
    // A fragment that is set again gets another id than its own.
    return text === null || id === fragment.id ? decoded : textMessage(id, name, text);
  }

  /**
   * @param path the position, for errors
   * @throws ContextError that names the fragment and the reason
   */
  encode(path: string): NewMessageData {
    const { fragment, id, name } = this;
    const content = isLazyFragment(fragment) ? { text: fragment[LAZY_ID].content } : encodeContent(fragment, path);
    return id === null ? { lazyId: 'LAST_ASSISTANT', name, content } : { id, name, content };
  }
}

function encodeContent(fragment: ContextFragment, path: string): NewMessageData['content'] {
  const { id, name } = fragment;
  const data = asked(name, 'cannot be stored', path, () => toJsonValue(codecOf(fragment, path).encode()));
  if (data === null) throw invalid(`Fragment "${name}": a message must not be null`, path);
  const text = id === undefined ? null : textOf(data, id, name);
  return text === null ? { data } : { text };
}

/** The result of a codec's function. */
function asked<T>(name: string, failure: string, path: string, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (error instanceof ContextError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Fragment "${name}": its data ${failure}: ${reason}`;
    throw new ContextError('INVALID_INPUT', message, path, { cause: error });
  }
}

/**
 * Checks a message as far as possible before it is saved.
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
  // Arguments are unchecked when called from JavaScript.
  const lazy: unknown = fragment[LAZY_ID];
  const { type, content } = isRecord(lazy) ? lazy : {};
  if (type !== 'last-assistant') {
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
