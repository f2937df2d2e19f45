/** A conversation of another system as a tree, before it gets Parley's ids. */
import type { AttachmentIndex } from './files/zip/attachment-index.js';
import type { JsonObject } from './file-values.js';

export type Role = 'user' | 'assistant' | 'system';

export interface SourceConversation {
  /** The name of its reader. It is part of the ids, so it never changes. */
  readonly source: string;
  /** Identifies the conversation among those of the same source and owner in every export. */
  readonly conversationId: string;
  /** The id that former versions derived from its first messages, only for a conversation without an id in the file. */
  readonly formerId?: string | null;
  /** The title in the file, of any length. */
  readonly title: string | null;
  /** Milliseconds since 1970; null when the file has no valid time. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  /** The times as the file has them; undefined or null when it has none. */
  readonly createTime?: unknown;
  readonly updateTime?: unknown;
  /** Parents before children, depth first, siblings in order. Messages are saved in this order. */
  readonly nodes: readonly SourceNode[];
  /** The active node; null only without nodes. */
  readonly activeNode: string | null;
  /** Small members for the chat's metadata. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Other members of the conversation, which are omitted from the metadata when they are too large. */
  readonly original: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  /**
   * The zip's files that messages refer to.
   * @default null, which keeps the pointers
   */
  readonly files?: AttachmentIndex | null;
}

/** A conversation of a reader: null is the id of one that its file does not identify. */
export interface FoundSource extends Omit<SourceConversation, 'conversationId'> {
  readonly conversationId: string | null;
}

export interface SourceNode {
  /** Unique only within its conversation. */
  readonly id: string;
  readonly parentId: string | null;
  /** Milliseconds since 1970; null when the file has no valid time. */
  readonly createdAt: number | null;
  /** The content, read from the file at each call: a large conversation is not kept in memory twice. */
  content(): NodeContent;
}

export interface NodeContent {
  readonly role: Role;
  /** Parts of a UI message of the AI SDK; none for an empty message. */
  readonly parts: readonly MessagePart[];
  /** Parts of files that belong to the message and are shown if the zip has them. `url` is the pointer. */
  readonly attached?: readonly MessagePart[];
  /** The time as the file has it; undefined when it has none. */
  readonly createTime?: unknown;
  readonly hidden?: boolean;
  /** Members of the message that role, parts, id and time do not carry. */
  readonly original: Readonly<Record<string, unknown>>;
  /** The value whose change makes this another message under the same id. */
  readonly fingerprinted: unknown;
}

export type MessagePart = Readonly<{ type: string } & Record<string, unknown>>;

interface Format {
  /** The name for `--format`, metadata and ids. It never changes. */
  readonly name: string;
  /** The name in reports. */
  readonly label: string;
}

/** A format in which a value of the file is one or more conversations. */
export interface ValueReader extends Format {
  /** Whether a value is of this format, valid or not: by members that no other format has in the same form. */
  claims(value: JsonObject): boolean;
  /**
   * The conversations in a value. Each is valid until the next is read.
   * @param title the name of the file without folder and extension, for formats without a title of their own
   * @throws UnreadableError when it has none, or cannot be identified
   */
  read(value: JsonObject, title: string | null): Iterable<FoundSource>;
}

/** A format in which several values form a conversation: lines, or elements of an array. */
export interface LinesReader extends Format {
  /** Whether a value starts a conversation of this format. */
  claims(value: JsonObject): boolean;
  /**
   * Whether a value continues a conversation.
   * @param first its first value, for formats without a key
   */
  continues(value: JsonObject, first: JsonObject | null): boolean;
  /**
   * The conversation of a value. Without this method, a claimed value that does not continue starts the next
   * conversation.
   */
  keyOf?(value: JsonObject): string | null;
  /**
   * The conversations in all values of a key, or from the first value to the last.
   * @throws UnreadableError when there are none
   */
  readAll(values: readonly JsonObject[]): Iterable<FoundSource>;
}

export type Reader = ValueReader | LinesReader;
