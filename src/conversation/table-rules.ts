/**
 * The purpose of each table: removals, erasures, grants, forms with shards, and the counts of copies derive from it. Its
 * columns are in tables.ts. Tables are in the order of reports, and a referenced one precedes others that are in each shard.
 */
import type { Row, TableName } from './tables.js';

/**
 * How the erasure of a user treats a column with user ids. `chat`: removes the chat; `remove`: removes the row;
 * `replace`: replaces the id; `clear`: empties it; `payload`: replaces ids within the JSON; `refuse`: is refused while
 * the row exists.
 */
export type UserIdRule = 'chat' | 'remove' | 'replace' | 'clear' | 'payload' | 'refuse';

interface SharedRules {
  /** The statements of servers on its rows: `insert` and `update` include deletions. */
  readonly rights: 'select' | 'insert' | 'update';
}

/** Its shard is that of the chat. */
interface ChatRules extends SharedRules {
  readonly rowsOf: 'chat';
  /**
   * How the removal of a chat deletes the rows. `seq`: in steps from the highest seq, before messages; `few`: all at once, before others;
   * `parts`: in steps, with their parts in another table, also when the chat can be restored; `statement`: by statements of their
   * own; `cascade`: by a foreign key.
   */
  readonly removal: 'seq' | 'few' | 'parts' | 'statement' | 'cascade';
  /** With the removal `parts`: the table has the columns id, chatId, bytes, startedAt and endedAt. */
  readonly parts?: Parts;
  /**
   * How `npm run copy` treats the rows of a chat. `rows`: takes its few rows along unchanged; `steps`: has steps of its own, see
   * chat-steps.ts; `derived`: writes them with those of other tables; `none`: leaves them out. Its report counts all but the last.
   */
  readonly copy: 'rows' | 'steps' | 'derived' | 'none';
  /** Set if a fork copies the rows of a message with it. */
  readonly isForked?: true;
}

/** The table of the parts of rows, with the columns of the row's id, of their order and of their content. */
interface Parts {
  readonly table: TableName;
  readonly of: string;
  readonly position: string;
  readonly content: string;
}

interface OtherRules extends SharedRules {
  readonly rowsOf: 'user' | 'installation';
  /** Set if the report of a copy has its number of rows in both databases. */
  readonly isCounted?: true;
  /** Set if statements join it with tables of chats: each shard has a copy. */
  readonly isInEachShard?: true;
  /** Set if the removal of a chat deletes the rows with its id, which no key references in some forms of a schema. */
  readonly hasChats?: true;
  /** Set if its rows are too many for an erasure in one transaction: the steps are ranges of ids. */
  readonly isErasedById?: true;
}

type Rules = (ChatRules | OtherRules) & { readonly userIds?: Readonly<Record<string, UserIdRule>> };

type NamedAfterUser<Table extends TableName> = Extract<keyof Row<Table>, `${string}By` | 'userId' | 'actorId'>;
/** The columns that can hold the id of a user; those that are named after a user are required. */
type UserIds<Table extends TableName> = [NamedAfterUser<Table>] extends [never]
  ? { readonly userIds?: { readonly [Name in keyof Row<Table>]?: UserIdRule } }
  : {
      readonly userIds: { readonly [Name in NamedAfterUser<Table>]: UserIdRule } & {
        readonly [Name in keyof Row<Table>]?: UserIdRule;
      };
    };

const TABLE_RULES = {
  chats: { rowsOf: 'chat', copy: 'steps', removal: 'statement', rights: 'update', userIds: { userId: 'chat' } },
  // For updates of digests: see rights.ts.
  messages: { rowsOf: 'chat', copy: 'steps', removal: 'seq', rights: 'insert', userIds: { createdBy: 'replace' } },
  branches: { rowsOf: 'chat', copy: 'steps', removal: 'seq', rights: 'update', userIds: { createdBy: 'replace' } },
  checkpoints: { rowsOf: 'chat', copy: 'steps', removal: 'seq', rights: 'update' },
  chat_events: {
    rowsOf: 'chat',
    copy: 'steps',
    removal: 'seq',
    rights: 'insert',
    userIds: { actorId: 'replace', payload: 'payload' },
  },
  message_runs: { rowsOf: 'chat', copy: 'derived', removal: 'seq', rights: 'insert' },
  message_sources: { rowsOf: 'chat', copy: 'derived', removal: 'seq', rights: 'insert' },
  message_source_hashes: { rowsOf: 'chat', copy: 'derived', removal: 'cascade', rights: 'insert' },
  message_texts: { rowsOf: 'chat', copy: 'derived', removal: 'statement', rights: 'insert' },
  drafts: {
    rowsOf: 'chat',
    copy: 'steps',
    removal: 'parts',
    parts: { table: 'draft_chunks', of: 'draftId', position: 'endOffset', content: 'chunks' },
    rights: 'update',
    userIds: { startedBy: 'replace', stoppedBy: 'replace' },
  },
  draft_chunks: { rowsOf: 'chat', copy: 'steps', removal: 'statement', rights: 'insert' },
  chat_forks: { rowsOf: 'chat', copy: 'rows', removal: 'cascade', rights: 'insert' },
  message_files: { rowsOf: 'chat', copy: 'steps', removal: 'cascade', rights: 'insert', isForked: true },
  files: { rowsOf: 'installation', rights: 'update', isInEachShard: true },
  user_files: {
    rowsOf: 'user',
    rights: 'update',
    isInEachShard: true,
    isCounted: true,
    userIds: { userId: 'remove' },
  },
  access_tokens: { rowsOf: 'user', rights: 'update', hasChats: true, userIds: { userId: 'remove' } },
  page_sessions: { rowsOf: 'user', rights: 'insert', userIds: { userId: 'remove' } },
  shares: { rowsOf: 'chat', copy: 'none', removal: 'few', rights: 'insert' },
  chat_members: {
    rowsOf: 'chat',
    copy: 'steps',
    removal: 'cascade',
    rights: 'update',
    userIds: { userId: 'remove', addedBy: 'replace' },
  },
  monthly_usage: { rowsOf: 'user', rights: 'update', userIds: { userId: 'remove' } },
  user_retention: { rowsOf: 'user', rights: 'update', isInEachShard: true, userIds: { userId: 'remove' } },
  user_storage: { rowsOf: 'user', rights: 'update', userIds: { userId: 'remove' } },
  legal_holds: {
    rowsOf: 'installation',
    rights: 'update',
    isInEachShard: true,
    userIds: { targetId: 'refuse', createdBy: 'replace' },
  },
  chat_imports: { rowsOf: 'chat', copy: 'none', removal: 'cascade', rights: 'update', userIds: { userId: 'chat' } },
  chat_storage: { rowsOf: 'chat', copy: 'none', removal: 'cascade', rights: 'insert' },
  chat_title_words: { rowsOf: 'chat', copy: 'none', removal: 'cascade', rights: 'insert' },
  deleted_chats: {
    rowsOf: 'installation',
    rights: 'update',
    isErasedById: true,
    userIds: { userId: 'clear', actorId: 'replace' },
  },
  webhook_deliveries: {
    rowsOf: 'installation',
    rights: 'update',
    isErasedById: true,
    userIds: { userId: 'replace', actorId: 'replace' },
  },
  file_contents: { rowsOf: 'installation', rights: 'insert' },
  file_removals: { rowsOf: 'installation', rights: 'update' },
  search_index: { rowsOf: 'installation', rights: 'select', isInEachShard: true },
} as const satisfies { readonly [Table in TableName]: (ChatRules | OtherRules) & UserIds<Table> };

type RulesOf<Table extends TableName> = (typeof TABLE_RULES)[Table];
const rules: Readonly<Record<TableName, Rules>> = TABLE_RULES;

export type TablesWith<Some> = { [Table in TableName]: RulesOf<Table> extends Some ? Table : never }[TableName];
/** The tables whose rows have a seq in their chat, by which removals and erasures proceed. */
export type NumberedTable = TablesWith<{ removal: 'seq' }>;
type TablesWithUserId<Rule extends UserIdRule> = {
  [Table in TableName]: RulesOf<Table> extends { userIds: infer Ids }
    ? Rule extends Ids[keyof Ids]
      ? Table
      : never
    : never;
}[TableName];
/** The tables whose rows removals and erasures delete by statements. */
export type RemovedTable = TablesWith<{ removal: 'seq' | 'few' | 'parts' | 'statement' }> | TablesWithUserId<'remove'>;

/** The tables whose rows have parts, and the tables of these. */
export type PartedTable = TablesWith<{ removal: 'parts' }>;
export type PartTable = (typeof TABLE_RULES)[PartedTable]['parts']['table'];

/** The tables whose rows copies take along unchanged. */
export type CopiedTable = TablesWith<{ copy: 'rows' }>;

export const partsOf = (table: PartedTable) => TABLE_RULES[table].parts;

export const tableNames = Object.keys(TABLE_RULES) as TableName[];

type Wanted = Partial<ChatRules> | Partial<OtherRules>;

export function isTableWith<const Some extends Wanted>(table: TableName, some: Some): table is TablesWith<Some> {
  const own: Readonly<Record<string, unknown>> = { ...rules[table] };
  return Object.entries(some).every(([name, value]) => own[name] === value);
}

export function tablesWith<const Some extends Wanted>(some: Some): TablesWith<Some>[] {
  return tableNames.filter((table) => isTableWith(table, some));
}

/** The statements of servers on its rows. */
export function rightsOf(table: TableName): Rules['rights'] {
  return rules[table].rights;
}

/** In the order of reports. */
export const REMOVED_TABLES = tableNames.filter((table): table is RemovedTable => {
  const own = rules[table];
  const isRemovedWithChat = own.rowsOf === 'chat' && own.removal !== 'cascade';
  return isRemovedWithChat || userIdsOf(table).some(([, rule]) => rule === 'remove');
});

/** The columns of a table that can hold the id of a user. */
export function userIdsOf(table: TableName): [column: string, rule: UserIdRule][] {
  return Object.entries(rules[table].userIds ?? {});
}

export interface UserIdColumn<Table extends TableName = TableName> {
  readonly table: Table;
  readonly column: string;
}

/** The columns of all tables with this rule. */
export function userIdColumns<Rule extends UserIdRule>(wanted: Rule): UserIdColumn<TablesWithUserId<Rule>>[] {
  return tableNames.flatMap((table) =>
    userIdsOf(table).flatMap(([column, rule]) =>
      rule === wanted ? [{ table: table as TablesWithUserId<Rule>, column }] : [],
    ),
  );
}
