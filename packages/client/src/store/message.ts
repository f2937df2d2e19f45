/** What a store shows of messages. */
import type { MessageContent, PlacedFragment } from '../generated/operations.js';

/** What a message says: a text, or any JSON value, such as a UIMessage of the AI SDK. */
export type Content = { text: string; data?: never } | { data: unknown; text?: never } | string;

/** A message of the chat. It never changes: what has the same id is the same object, render after render. */
export interface Message {
  readonly id: string;
  /** Null for a root. */
  readonly parentId: string | null;
  /** Its number in its chat, in the order of saving; Infinity until it is saved. */
  readonly seq: number;
  /** 0 for a root. */
  readonly depth: number;
  /** user, assistant, system, tool, or any other name. */
  readonly name: string;
  readonly type: string;
  /** The plain text of `data`. */
  readonly text: string;
  /** What was saved, unchanged. */
  readonly data: unknown;
  /** RFC 3339, in UTC. */
  readonly createdAt: string;
  /** The id of the user who saved it; null until it is saved. */
  readonly createdBy: string | null;
  /**
   * Of one that the server has not confirmed yet: `sending`, or `waiting` for a server that is away. It is sent again
   * by itself. Of one that is being written: `streaming`; `stopping` once somebody has asked for that; `abandoned` when
   * its writer was not heard of for long.
   */
  readonly status?: 'sending' | 'waiting' | 'streaming' | 'stopping' | 'abandoned';
}

/** What an arrow control shows, `siblingIndex + 1` of `siblingCount`, and where its arrows lead. */
export interface SiblingInfo {
  /** The versions that the store has seen, in the order of saving; this message is among them. */
  readonly siblings: readonly Message[];
  readonly siblingIndex: number;
  /** All versions, seen or not. */
  readonly siblingCount: number;
  readonly previousId: string | null;
  readonly nextId: string | null;
}

/** The fields that a message has for good. */
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

/** A message that is not saved yet. */
export function unsavedMessage(
  given: Pick<Message, 'id' | 'parentId' | 'name' | 'text' | 'createdAt' | 'status'> & Partial<Message>,
): Message {
  return { seq: Infinity, depth: 0, type: 'message', data: null, createdBy: null, ...given };
}

/** As the server takes it. */
export function contentOf(content: Content): MessageContent {
  if (typeof content === 'string') return { text: content };
  return content.text === undefined ? { data: content.data } : { text: content.text };
}

/** The text of what is not saved yet: the server says what it is. */
export function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  if (content.text !== undefined) return content.text;
  if (typeof content.data === 'string') return content.data;
  const { parts } = (content.data ?? {}) as { parts?: unknown };
  return (Array.isArray(parts) ? (parts as ({ type?: string; text?: string } | null)[]) : [])
    .flatMap((part) => (part?.type === 'text' ? [part.text ?? ''] : []))
    .join('\n\n');
}
