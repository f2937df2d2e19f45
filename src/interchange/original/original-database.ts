/** The rows that are read from a database of `@deepagents/context`, on every driver. Values are unchecked. */

export interface OriginalChat {
  id: string;
  userId: string;
  title: string | null;
  /** JSON text. */
  metadata: string | null;
  /** Times are milliseconds since 1970. */
  createdAt: number;
  updatedAt: number;
}

/** A message without its content. */
export interface OriginalNode {
  id: string;
  parentId: string | null;
  createdAt: number;
}

export interface OriginalContent {
  id: string;
  name: string;
  type: string | null;
  /** JSON text. */
  data: string;
}

export interface OriginalBranch {
  id: string;
  name: string;
  headMessageId: string | null;
  isActive: boolean;
  createdAt: number;
}

export interface OriginalCheckpoint {
  id: string;
  name: string;
  messageId: string;
  createdAt: number;
}

/** Reads a snapshot of one moment. Unreadable values throw an UnreadableError. */
export interface OriginalDatabase {
  chatCount(): Promise<number>;
  /** A bounded number at a time. */
  chats(): AsyncIterable<readonly OriginalChat[]>;
  /** In the order of saving, as far as the database records it. */
  nodes(chatId: string): Promise<OriginalNode[]>;
  /** Messages of a chat, in any order. */
  contents(chatId: string, ids: readonly string[]): Promise<OriginalContent[]>;
  /** Oldest first, as are the checkpoints. */
  branches(chatId: string): Promise<OriginalBranch[]>;
  checkpoints(chatId: string): Promise<OriginalCheckpoint[]>;
  close(): Promise<void>;
}

/** The tables that the database must have. */
export const ORIGINAL_TABLES = ['chats', 'messages', 'branches', 'checkpoints'] as const;

/** A table that only Parley's own databases have. */
export const OWN_TABLE = 'chat_events';

/** Returns why a database is not one of `@deepagents/context`; null when it is. */
export function notOriginal(tables: ReadonlySet<string>): string | null {
  if (tables.has(OWN_TABLE)) return "is Parley's own already: npm run copy copies it, npm run export takes chats out";
  const missing = ORIGINAL_TABLES.filter((table) => !tables.has(table));
  if (missing.length === 0) return null;
  return `is none of @deepagents/context: it has no table ${missing.join(', ')}`;
}
