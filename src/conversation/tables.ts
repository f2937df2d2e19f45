/**
 * The columns of the stored tables, in order. Row types, INSERTs, copies, checksums, archives and JSON members derive
 * from them; a test compares them with prisma/schema.prisma.
 */

/**
 * How a column is stored. `key`: text of at most 255 characters; `base64`: bytes as text; `json`: JSON as text; `jsonb`:
 * JSON text that PostgreSQL stores as JSONB; `long`: 64 bits; `time`: milliseconds since 1970.
 */
export type ColumnKind = 'key' | 'text' | 'base64' | 'json' | 'jsonb' | 'int' | 'long' | 'time' | 'boolean';

export interface Column {
  readonly kind: ColumnKind;
  readonly isNullable: boolean;
}

export type Columns = Readonly<Record<string, Column>>;

type ValueOf<Kind extends ColumnKind> = Kind extends 'int' | 'long' | 'time'
  ? number
  : Kind extends 'boolean'
    ? boolean
    : string;

/** A row with these columns. */
export type RowOf<Table extends Columns> = {
  readonly [Name in keyof Table]:
    | ValueOf<Table[Name]['kind']>
    | (Table[Name]['isNullable'] extends true ? null : never);
};

const column = <Kind extends ColumnKind>(kind: Kind) => ({ kind, isNullable: false }) as const;
const nullable = <Kind extends ColumnKind>(kind: Kind) => ({ kind, isNullable: true }) as const;
const key = column('key');
const json = column('json');
const int = column('int');
const time = column('time');

export const TABLES = {
  chats: {
    id: key,
    userId: key,
    title: nullable('key'),
    /** A JSON object with sorted keys (canonicalJson), so that equal values are equal text. */
    metadata: column('jsonb'),
    createdAt: time,
    updatedAt: time,
    /** The seq of the newest event. */
    version: int,
    /** The usage of all messages whose usage is computed, see message-usage.ts. Null while none states any. */
    usage: nullable('json'),
  },
  messages: {
    id: key,
    chatId: key,
    parentId: nullable('key'),
    name: key,
    type: key,
    createdAt: time,
    /** 0 for a root, else the parent's plus one. */
    depth: int,
    /** The number of the message in its chat, from 1, in the order of saving. */
    seq: int,
    /** The number of siblings saved before it; constant, because single messages are never deleted. */
    siblingIndex: int,
    /** See jumps.ts. */
    jumpId: key,
    /** The beginning of the text, see messagePreview. */
    preview: key,
    /** Any JSON value but null, as text. */
    data: json,
    /** The user who saved it. */
    createdBy: key,
    /** See message-digest.ts. Null until computed. */
    contentHash: nullable('key'),
    /** The usage of the path to the message, see message-usage.ts. Null until computed. */
    usage: nullable('json'),
  },
  message_runs: { chatId: key, seq: int, parentSeq: nullable('int') },
  /** Earlier messages of the chat that a message draws on besides its parent. */
  message_sources: {
    chatId: key,
    seq: int,
    /** Its number among the sources of the message, from 0. */
    position: int,
    sourceSeq: int,
  },
  /** Sources that a fork did not copy, as their content hashes. Their positions are among those of the sources. */
  message_source_hashes: { chatId: key, seq: int, position: int, hash: key },
  /** Without the generated id of the database. */
  message_texts: {
    messageId: key,
    chatId: key,
    name: key,
    createdAt: time,
    seq: int,
    /** The number of words. */
    length: int,
    terms: column('text'),
  },
  branches: {
    id: key,
    chatId: key,
    name: key,
    headMessageId: nullable('key'),
    isActive: column('boolean'),
    createdAt: time,
    /** The seq of its creation event: branches are listed in this order. */
    seq: int,
    /** The user who created it; null for a branch of an older version. */
    createdBy: nullable('key'),
  },
  checkpoints: {
    id: key,
    chatId: key,
    name: key,
    messageId: key,
    createdAt: time,
    /** The seq of its last CheckpointSaved event: checkpoints are listed by it, newest first. */
    seq: int,
  },
  chat_events: {
    chatId: key,
    seq: int,
    type: key,
    actorId: key,
    payload: json,
    createdAt: time,
  },
  deleted_chats: {
    id: key,
    /** The owner of the chat. */
    userId: key,
    /** The seq of the deletion event, one after the last version of the chat. */
    seq: int,
    actorId: key,
    createdAt: time,
  },
  drafts: {
    id: key,
    chatId: key,
    branchId: key,
    parentId: nullable('key'),
    onConflict: key,
    name: key,
    metadata: nullable('json'),
    idleTimeout: int,
    startedBy: key,
    startedAt: time,
    updatedAt: time,
    length: int,
    bytes: int,
    stoppedBy: nullable('key'),
    endedAt: nullable('time'),
    messageId: nullable('key'),
    activation: nullable('key'),
    requestedBranchId: nullable('key'),
    requestedHeadId: nullable('key'),
  },
  draft_chunks: {
    draftId: key,
    endOffset: int,
    startOffset: int,
    chunks: json,
    /** The chat of the draft. */
    chatId: key,
  },
  files: {
    /** SHA-256 of the content in hex. */
    id: key,
    mediaType: key,
    /** In bytes. */
    size: column('long'),
    storageKey: key,
    createdAt: time,
    /** The time of the last upload or save that used it. */
    usedAt: time,
  },
  /** Derived from the data of messages: see file-references.ts. */
  message_files: { chatId: key, messageId: key, position: int, fileId: key, name: nullable('key') },
  /** Files that a user may refer to, and that count for the limit of the user. */
  user_files: { userId: key, fileId: key, usedAt: time },
  file_contents: { storageKey: key, content: column('base64') },
  /** Contents without a row in files. */
  file_removals: { storageKey: key, removeAfter: time },
  access_tokens: {
    id: key,
    userId: key,
    name: key,
    /** READ, READ WRITE, or READ WRITE MANAGE. */
    scopes: key,
    /** The only chat that it may access; null for all chats of the user. */
    chatId: nullable('key'),
    /** SHA-256 of the token in hex. */
    tokenHash: key,
    createdAt: time,
    /** At most a minute older than its last use. */
    lastUsedAt: nullable('time'),
    expiresAt: nullable('time'),
  },
  /** The tokens that messages state, by month of saving, owner of the chat and model: see docs/operations.md. */
  monthly_usage: {
    /** SHA-256 of month, userId and model in hex. */
    id: key,
    /** In UTC, such as 2026-11. */
    month: key,
    userId: key,
    /** Empty for messages that state usage without a model. */
    model: key,
    messages: column('long'),
    inputTokens: nullable('long'),
    outputTokens: nullable('long'),
    reasoningTokens: nullable('long'),
    cachedInputTokens: nullable('long'),
  },
  /** They refuse the removal of a chat, or of the chats of a user: see docs/administration/retention.md. */
  legal_holds: {
    /** CHAT or USER. */
    scope: key,
    /** The id of the chat or the user. */
    targetId: key,
    reason: key,
    /** The admin that set it. */
    createdBy: key,
    createdAt: time,
  },
  /** The days after their last change in which the chats of a user are deleted. */
  user_retention: { userId: key, days: int },
  /** The bytes of the messages of a chat up to a seq, and of the chat itself, as of a version of the chat. */
  chat_storage: {
    chatId: key,
    version: int,
    seq: int,
    bytes: column('long'),
    /** See chatBytes. Null when a server of an older version counted. */
    chatBytes: nullable('long'),
  },
  /** The storage quotas of users, in place of that of the server. */
  user_storage: { userId: key, quotaBytes: column('long') },
  /** The users other than the owner that may access a chat. */
  chat_members: {
    chatId: key,
    userId: key,
    /** READER, COMMENTER or WRITER. */
    role: key,
    addedAt: time,
    /** The user who added the member or last changed its role. */
    addedBy: key,
  },
  shares: {
    id: key,
    chatId: key,
    /** The last message of the shared path. */
    messageId: key,
    /** SHA-256 of the token in hex. */
    tokenHash: key,
    title: nullable('key'),
    /** The hash of what it shows. */
    contentHash: key,
    /** The hidden messages of the path, see shared-path.ts; null for none. */
    hiddenDepths: nullable('json'),
    includeReasoning: column('boolean'),
    includeTools: column('boolean'),
    createdAt: time,
    expiresAt: nullable('time'),
  },
  /** The origin of a forked chat; both null for a fork of a share. */
  chat_forks: { chatId: key, fromChatId: nullable('key'), fromMessageId: nullable('key') },
  /** The words of titles, without duplicates: see index-titles.ts. */
  chat_title_words: { chatId: key, word: key },
  /** Unfinished imports, and deleted chats that can be restored: both hide a chat while afterSeq is null. */
  chat_imports: {
    chatId: key,
    userId: key,
    holder: key,
    expiresAt: time,
    afterSeq: nullable('int'),
    /** Null for an import. */
    deletedAt: nullable('time'),
  },
  /** The outbox of webhooks: written with the change, see webhook-events.ts. */
  webhook_deliveries: {
    /** A UUID v7: ids are ordered by time. */
    id: key,
    webhook: key,
    type: key,
    chatId: key,
    /** The seq of the event in the log of the chat. */
    seq: int,
    /** The owner of the chat. */
    userId: key,
    actorId: key,
    /** The ids of the event as a JSON object. */
    ids: json,
    createdAt: time,
    /** PENDING, DELIVERED or FAILED. */
    state: key,
    /** The number of begun attempts. */
    attempts: int,
    /** When a PENDING delivery is sent next; while it is being sent, the end of the lease. */
    dueAt: time,
    lastAttemptAt: nullable('time'),
    lastStatus: nullable('int'),
    lastError: nullable('key'),
  },
  /** One row: the analyzer that wrote message_texts, see search-index.ts. */
  search_index: { id: int, analyzer: int },
} as const satisfies Readonly<Record<string, Columns>>;

export type TableName = keyof typeof TABLES;
export type Row<Table extends TableName> = RowOf<(typeof TABLES)[Table]>;

/**
 * The names of a table's columns, in order.
 * @param except columns to leave out
 */
export function columnNames<Table extends TableName, Left extends string = never>(
  table: Table,
  except: readonly Left[] = [],
): Exclude<keyof Row<Table> & string, Left>[] {
  const left: readonly string[] = except;
  const names = Object.keys(TABLES[table]).filter((name) => !left.includes(name));
  return names as Exclude<keyof Row<Table> & string, Left>[];
}

/** The values of these columns. */
export function pickColumns<From, Name extends keyof From>(row: From, names: readonly Name[]): Pick<From, Name> {
  const picked: Partial<Pick<From, Name>> = {};
  for (const name of names) picked[name] = row[name];
  return picked as Pick<From, Name>;
}

type UnsetColumns<Table extends Columns> = {
  readonly [Name in keyof Table as Table[Name]['isNullable'] extends true ? Exclude<Name, 'parentId'> : never]: null;
};

/** Null for each nullable column of messages except parentId: imports and older archives have no values for them. */
export const UNSET_MESSAGE_COLUMNS = Object.fromEntries(
  Object.entries<Column>(TABLES.messages).flatMap(([name, { isNullable }]) =>
    isNullable && name !== 'parentId' ? [[name, null]] : [],
  ),
) as UnsetColumns<typeof TABLES.messages>;

/** Columns of messages that a client sets in addition to the content. */
export const SAVED_MESSAGE_COLUMNS = ['name', 'type'] as const;

/** Columns of messages that are read separately. */
export const SEPARATE_MESSAGE_COLUMNS = ['jumpId', 'preview', 'createdBy', 'contentHash', 'usage'] as const;

/** Columns of messages that are computed from `data` and the parent, by a save or later: see fill-digests.ts. */
export const DIGEST_COLUMNS = ['contentHash', 'usage'] as const;

/** Columns of messages that follow from the graph and from `data`: archives leave them out. */
const DERIVED_MESSAGE_COLUMNS = ['depth', 'seq', 'siblingIndex', 'jumpId', 'preview', ...DIGEST_COLUMNS] as const;

/** Columns of messages in a line of an archive, which ends with `data`. */
export const ARCHIVED_MESSAGE_COLUMNS = columnNames('messages', ['chatId', 'data', ...DERIVED_MESSAGE_COLUMNS]);
