/** A conversation of another system, read and put in order, before it gets ids of ours. */
import type { AttachmentIndex } from '../files/zip/attachment-index.js';

export type Role = 'user' | 'assistant' | 'system';

export interface SourceConversation {
  /** The name of the reader that read it: part of the ids, so it never changes. */
  readonly source: string;
  /** Identifies the conversation among those of its source and owner, in every export of it. */
  readonly conversationId: string;
  /** As it stands in the file: of any length. */
  readonly title: string | null;
  /** Milliseconds since 1970; null when the file does not tell. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  /** The same as they stand in the file; undefined or null when they do not. */
  readonly createTime?: unknown;
  readonly updateTime?: unknown;
  /** Parents before children, depth first, siblings in their order: the order of saving. */
  readonly nodes: readonly SourceNode[];
  /** The node at which the conversation stands; null only where there are no nodes. */
  readonly activeNode: string | null;
  /** Small members for the chat's metadata. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Whatever else the file says of the conversation; left out of the metadata when it is too large. */
  readonly original: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  /** Where the files are to which its messages point. @default null, which leaves the pointers as they are */
  readonly files?: AttachmentIndex | null;
}

export interface SourceNode {
  /** Unique in its conversation only. */
  readonly id: string;
  readonly parentId: string | null;
  /** Milliseconds since 1970; null when the file tells none that could be saved. */
  readonly createdAt: number | null;
  /** What it says, read from the file's value at each call: a large conversation does not hold it twice. */
  content(): NodeContent;
}

export interface NodeContent {
  readonly role: Role;
  /** Parts of a UI message of the AI SDK; none for an empty message. */
  readonly parts: readonly MessagePart[];
  /** Parts of files that belong to it, which are shown where they are found; `url` points to them. */
  readonly attached?: readonly MessagePart[];
  /** The time as it stands in the file; undefined when it is not there. */
  readonly createTime?: unknown;
  readonly hidden?: boolean;
  /** The original message without what role, parts, id and time carry. */
  readonly original: Readonly<Record<string, unknown>>;
  /** What makes it another message when it changes under its id. */
  readonly said: unknown;
}

export type MessagePart = Readonly<{ type: string } & Record<string, unknown>>;
