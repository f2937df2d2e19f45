/** A conversation of another system, read and put in order, before it gets ids of ours. */

export type SourceName = 'chatgpt' | 'oasst';
export type Role = 'user' | 'assistant' | 'system' | 'tool';

export interface SourceConversation {
  readonly source: SourceName;
  /** Identifies the conversation among those of its source and owner, in every export of it. */
  readonly conversationId: string;
  /** As it stands in the file: of any length. */
  readonly title: string | null;
  /** As they stand in the file: float seconds since 1970, or null. */
  readonly createTime: number | null;
  readonly updateTime: number | null;
  /** Parents before children, depth first, siblings in their order: the order of saving. */
  readonly nodes: readonly SourceNode[];
  /** The node at which the conversation stands; null only where there are no nodes. */
  readonly activeNode: string | null;
  /** Small members for the chat's metadata. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Whatever else the file says of the conversation; left out of the metadata when it is too large. */
  readonly original: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

export interface SourceNode {
  /** Unique in its conversation only. */
  readonly id: string;
  readonly parentId: string | null;
  readonly role: Role;
  readonly parts: readonly unknown[];
  /** Milliseconds since 1970; null when the file tells none that could be saved. */
  readonly createdAt: number | null;
  /** The time as it stands in the file; undefined when it is not there. */
  readonly createTime: unknown;
  readonly hidden: boolean;
  /** The original message without what role, parts, id and time carry. */
  readonly original: Readonly<Record<string, unknown>>;
}
