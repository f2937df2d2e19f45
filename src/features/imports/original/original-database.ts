/** The rows that are read from a database of `@deepagents/context`, on every driver. Values are unchecked. */
import { UnreadableError } from '@parley/interchange/server';

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

/** The names of its tables. */
export interface OriginalTables {
  readonly chats: string;
  readonly messages: string;
  readonly branches: string;
  readonly checkpoints: string;
}

/** The tables that the library creates. */
const CREATED: OriginalTables = {
  chats: 'chats',
  messages: 'messages',
  branches: 'branches',
  checkpoints: 'checkpoints',
};
/** Those of the Prisma schema in its documentation. */
export const OF_PRISMA: OriginalTables = {
  chats: 'Chat',
  messages: 'Message',
  branches: 'Branch',
  checkpoints: 'Checkpoint',
};

/** A table that only Parley's own databases have. */
const OWN_TABLE = 'chat_events';

/**
 * @param what names the database in errors
 * @param tables the names of all its tables
 * @throws UnreadableError when it is no database of `@deepagents/context`
 */
export function originalTables(what: string, tables: ReadonlySet<string>): OriginalTables {
  if (tables.has(OWN_TABLE)) {
    throw new UnreadableError(`${what} is a database of Parley: npm run copy copies it, npm run export exports chats`);
  }
  const names = tables.has(OF_PRISMA.chats) ? OF_PRISMA : CREATED;
  const missing = Object.values(names).filter((table: string) => !tables.has(table));
  if (missing.length === 0) return names;
  throw new UnreadableError(`${what} is no database of @deepagents/context: it has no table ${missing.join(', ')}`);
}
