/** The messages of a store. */
import type { MessageContent, PlacedFragment } from './generated/operations.js';

/** The content of a message: a text, or any JSON value, such as a UIMessage of the AI SDK. */
export type Content = { text: string; data?: never } | { data: unknown; text?: never } | string;

/** A message of the chat. It is immutable: the same id is the same object at each render. */
export interface Message {
  readonly id: string;
  /** The parent; null for a root. */
  readonly parentId: string | null;
  /** The number of the message in its chat, in the order of saving; Infinity until it is saved. */
  readonly seq: number;
  /** The distance from the root; 0 for a root. */
  readonly depth: number;
  /** user, assistant, system, tool, or any other name. */
  readonly name: string;
  readonly type: string;
  /** The plain text of `data`. */
  readonly text: string;
  /** The content as it was saved. */
  readonly data: unknown;
  /** RFC 3339, in UTC. */
  readonly createdAt: string;
  /** The id of its author; null until it is saved. */
  readonly createdBy: string | null;
  /**
   * For a message that the server has not confirmed: `sending`, or `waiting` while the server is unavailable; the
   * store retries. For a draft: `streaming`; `stopping` after a stop was requested; `abandoned` after the idle
   * timeout of its writer.
   */
  readonly status?: 'sending' | 'waiting' | 'streaming' | 'stopping' | 'abandoned';
}

/** The versions of a message for an arrow control: it shows `siblingIndex + 1` of `siblingCount`. */
export interface SiblingInfo {
  /** The versions that the store has read, in the order of saving, including this message. */
  readonly siblings: readonly Message[];
  readonly siblingIndex: number;
  /** The number of all versions, read or not. */
  readonly siblingCount: number;
  readonly previousId: string | null;
  readonly nextId: string | null;
}

/** The immutable fields of a message. */
export function messageOf(placed: PlacedFragment): Message {
  const {
    hasChildren: _,
    siblingIndex: _index,
    siblingCount: _count,
    previousSibling: _previous,
    nextSibling: _next,
    ...message
  } = placed;
  return message;
}

/** A message that was not saved yet. */
export function unsavedMessage(
  given: Pick<Message, 'id' | 'parentId' | 'name' | 'text' | 'createdAt' | 'status'> & Partial<Message>,
): Message {
  return { seq: Infinity, depth: 0, type: 'message', data: null, createdBy: null, ...given };
}

export const now = () => new Date().toISOString();

/** The input of the mutation. */
export function contentOf(content: Content): MessageContent {
  if (typeof content === 'string') return { text: content };
  return content.text === undefined ? { data: content.data } : { text: content.text };
}

/** The text of unsaved content: the server computes the final text. */
export function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  if (content.text !== undefined) return content.text;
  if (typeof content.data === 'string') return content.data;
  const { parts } = (content.data ?? {}) as { parts?: unknown };
  return (Array.isArray(parts) ? (parts as ({ type?: string; text?: string } | null)[]) : [])
    .flatMap((part) => (part?.type === 'text' ? [part.text ?? ''] : []))
    .join('\n\n');
}
