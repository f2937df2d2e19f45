/**
 * The columns of the stored tables, in their order. Row types, INSERTs, copies, checksums, archives and JSON members derive from
 * them, and a test compares them with the models of prisma/schema.prisma.
 */

/**
 * How a column is stored. `key`: text of at most 255 characters; `json`: JSON as text; `jsonb`: the same, which PostgreSQL
 * keeps as JSONB; `time`: milliseconds since 1970.
 */
export type ColumnKind = 'key' | 'text' | 'json' | 'jsonb' | 'int' | 'time' | 'boolean';

export interface Column {
  readonly kind: ColumnKind;
  readonly isNullable: boolean;
}

export type Columns = Readonly<Record<string, Column>>;

type ValueOf<Kind extends ColumnKind> = Kind extends 'int' | 'time'
  ? number
  : Kind extends 'boolean'
    ? boolean
    : string;

/** A row with these columns. */
export type RowOf<Table extends Columns> = {
  readonly [Name in keyof Table]:
    ValueOf<Table[Name]['kind']> | (Table[Name]['isNullable'] extends true ? null : never);
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
    /** A JSON object with its keys sorted (canonicalJson), so that equal values are equal text. */
    metadata: column('jsonb'),
    createdAt: time,
    updatedAt: time,
    /** The seq of the newest event. */
    version: int,
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
    /** The number of siblings saved before it: it never changes, because no message is deleted alone. */
    siblingIndex: int,
    /** See jumps.ts. */
    jumpId: key,
    /** The beginning of the text, see messagePreview. */
    preview: key,
    /** Any JSON value but null, as text. */
    data: json,
    /** The user who saved it. */
    createdBy: key,
  },
  message_runs: { chatId: key, seq: int, parentSeq: nullable('int') },
  /** Without the id that the database generates. */
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
    /** The seq of the event of its creation: branches are listed in this order. */
    seq: int,
  },
  checkpoints: {
    id: key,
    chatId: key,
    name: key,
    messageId: key,
    createdAt: time,
    /** The seq of the event of its last saving: checkpoints are listed by it, newest first. */
    seq: int,
  },
  chat_events: { chatId: key, seq: int, type: key, actorId: key, payload: json, createdAt: time },
  deleted_chats: {
    id: key,
    /** The owner of the chat. */
    userId: key,
    /** The seq of the event of its deletion, one after the last version of the chat. */
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
  draft_chunks: { draftId: key, endOffset: int, startOffset: int, chunks: json },
  chat_imports: { chatId: key, userId: key, holder: key, expiresAt: time, afterSeq: nullable('int') },
} as const satisfies Readonly<Record<string, Columns>>;

export type TableName = keyof typeof TABLES;
export type Row<Table extends TableName> = RowOf<(typeof TABLES)[Table]>;

/** The names of a table's columns, in their order. @param except those to be left out */
export function columnNames<Table extends TableName, Left extends string = never>(
  table: Table,
  except: readonly Left[] = [],
): Exclude<keyof Row<Table> & string, Left>[] {
  const left: readonly string[] = except;
  const names = Object.keys(TABLES[table]).filter((name) => !left.includes(name));
  return names as Exclude<keyof Row<Table> & string, Left>[];
}

/** Columns of messages that are read by themselves, and not with every message. */
export const SEPARATE_MESSAGE_COLUMNS = ['jumpId', 'preview', 'createdBy'] as const;

/** Columns of messages that follow from the graph and from `data`: an archive leaves them out. */
const DERIVED_MESSAGE_COLUMNS = ['depth', 'seq', 'siblingIndex', 'jumpId', 'preview'] as const;

/** Columns of messages in a line of an archive, which has `data` at its end. */
export const ARCHIVED_MESSAGE_COLUMNS = columnNames('messages', ['chatId', 'data', ...DERIVED_MESSAGE_COLUMNS]);
