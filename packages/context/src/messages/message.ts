/** Messages of the conversation as fragments: set() keeps them, save() puts them into the graph. */
import { invalid } from '../errors.js';
import type { ContextFragment, FragmentData } from '../fragments/fragment.js';
import { isRecord } from '../record.js';
import { messageCodec } from './codec.js';
import { noteMadeId } from './message-id.js';
import { isUIMessage, textMessage, type UIMessage } from './ui-message.js';

export interface MessageOptions {
  /** The id in the graph, by which to rewind to it. @default the UIMessage's own, else a new one */
  id?: string | undefined;
}

export interface AnyMessageOptions extends MessageOptions {
  /** Who says it. @default the message's own role, else 'user' */
  name?: string | undefined;
}

/** What the user says: a text or a UIMessage. */
export function user(content: string | UIMessage, options: MessageOptions = {}): ContextFragment {
  return message(content, { ...options, name: 'user' });
}

/** What the model says: a text or a UIMessage. */
export function assistant(content: string | UIMessage, options: MessageOptions = {}): ContextFragment {
  return message(content, { ...options, name: 'assistant' });
}

/** What the system says in the course of the conversation: a text or a UIMessage. */
export function system(content: string | UIMessage, options: MessageOptions = {}): ContextFragment {
  return message(content, { ...options, name: 'system' });
}

/**
 * A message of any shape: a UIMessage, a text, which becomes one, or whatever else somebody has stored, which is kept as
 * it is.
 * @throws ContextError for null and undefined, which no message can be
 */
export function message(content: unknown, { id, name }: AnyMessageOptions = {}): ContextFragment {
  if (content == null) throw invalid(`Fragment "${name ?? 'message'}": a message must not be ${String(content)}`);
  if (typeof content === 'string') {
    const author = name ?? 'user';
    return messageFragment(id, author, content, (ownId) => textMessage(ownId, author, content));
  }
  if (isUIMessage(content)) {
    const chosenId = id ?? (content.id === '' ? undefined : content.id);
    return messageFragment(chosenId, name ?? content.role, textParts(content), () => withId(content, id));
  }
  return messageFragment(id, name ?? roleOf(content), content as FragmentData, () => content);
}

/** @param chosenId undefined: it is made */
function messageFragment(
  chosenId: string | undefined,
  name: string,
  data: FragmentData,
  stored: (id: string) => unknown,
): ContextFragment {
  const id = chosenId ?? crypto.randomUUID();
  const codec = messageCodec(stored(id));
  if (chosenId === undefined) noteMadeId(codec);
  return { id, name, data, type: 'message', persist: true, codec };
}

/** A UIMessage says its id itself: there must not be two. */
function withId(content: UIMessage, id: string | undefined): UIMessage {
  return id === undefined || id === content.id ? content : { ...content, id };
}

function textParts({ parts }: UIMessage): string {
  return parts
    .flatMap((part) => (part.type === 'text' && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n\n');
}

function roleOf(content: unknown): string {
  const role = isRecord(content) ? content['role'] : undefined;
  return typeof role === 'string' && role !== '' ? role : 'user';
}
