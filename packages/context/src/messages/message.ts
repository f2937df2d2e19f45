/** Messages of the conversation as fragments, which save() writes to the graph. */
import { invalid } from '../errors.js';
import type { ContextFragment, FragmentData } from '../fragments/fragment.js';
import { isRecord } from '../record.js';
import { messageCodec } from '../codec.js';
import { noteMadeId } from './message-id.js';
import { isUIMessage, textMessage, type UIMessage } from './ui-message.js';

export interface MessageOptions {
  /**
   * The id in the graph, for `rewind`.
   * @default the UIMessage's own, else a new one
   */
  id?: string | undefined;
}

export interface AnyMessageOptions extends MessageOptions {
  /**
   * The author.
   * @default the message's own role, else 'user'
   */
  name?: string | undefined;
}

/** A message of the user: a text or a UIMessage. */
export function user(content: string | UIMessage, options: MessageOptions = {}): ContextFragment {
  return message(content, { ...options, name: 'user' });
}

/** A message of the model: a text or a UIMessage. */
export function assistant(content: string | UIMessage, options: MessageOptions = {}): ContextFragment {
  return message(content, { ...options, name: 'assistant' });
}

/** A message of the model from a text, under the name of other libraries. */
export function assistantText(content: string, options: MessageOptions = {}): ContextFragment {
  return assistant(content, options);
}

/** A system message in the course of the conversation: a text or a UIMessage. */
export function system(content: string | UIMessage, options: MessageOptions = {}): ContextFragment {
  return message(content, { ...options, name: 'system' });
}

/**
 * A message of any shape: a UIMessage, a text, which becomes a UIMessage, or any other JSON, which is stored unchanged.
 * @throws ContextError for null and undefined
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

/** @param chosenId undefined for a generated id */
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

/** The message and its UIMessage must have the same id. */
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
