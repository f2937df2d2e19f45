import type { Sql } from 'sql-template-tag';
import type { PlacedMessage } from '../../conversation/model.js';
import { columnNames, pickColumns, type Row } from '../../conversation/tables.js';
import { indexedTerms } from '../../search/terms.js';
import type { ChangeHooks } from '../change-hooks.js';
import type { TableOfIds, Transaction } from '../connection/connection.js';
import type { Dialect } from '../dialects/dialect.js';
import { boundedPieces } from '../../system/bounded-pieces.js';

const COLUMNS = columnNames('messages');

/** Messages per INSERT: the maximum of a save. */
const MESSAGES_PER_INSERT = 500;
/** Characters of data per INSERT, because SQLite blocks the thread while it indexes long texts. */
const DATA_PER_INSERT = 256 * 1024;

export interface WriteMessagesOptions {
  /** Hooks of features, which add rows to new messages. Copies have all rows. */
  hooks: readonly ChangeHooks[];
  /**
   * Whether the caller has reserved the ids that clients chose: see IdDirectory.
   * @default false
   */
  hasReservedIds?: boolean;
}

/** @param messages ordered by seq */
export async function writeMessages(
  tx: Transaction,
  sql: Dialect,
  messages: readonly PlacedMessage[],
  options: WriteMessagesOptions,
): Promise<void> {
  await write(tx, sql, await writeAllButLast(tx, sql, messages, options));
}

/**
 * Writes all but the last batch of messages.
 * @returns the changes that write that batch: see Dialect.combineWrites
 */
export async function writeAllButLast(
  tx: Transaction,
  sql: Dialect,
  messages: readonly PlacedMessage[],
  { hooks, hasReservedIds = false }: WriteMessagesOptions,
): Promise<Sql[]> {
  let last: Sql[] = [];
  for (const chunk of boundedPieces(messages, ({ data }) => data.length, DATA_PER_INSERT, MESSAGES_PER_INSERT)) {
    if (last.length > 0) await write(tx, sql, last);
    await tx.yieldIfDue();
    if (!hasReservedIds) await reserveIds(tx, chunk);
    last = messageInserts(sql, chunk, hooks);
  }
  return last;
}

/** Reserves the ids of rows of one chat. */
export async function reserveIds(
  { directory }: Transaction,
  rows: readonly { id: string; chatId: string }[],
  table: TableOfIds = 'messages',
): Promise<void> {
  const [first] = rows;
  if (directory === undefined || first === undefined) return;
  await directory.require(
    first.chatId,
    table,
    rows.map(({ id }) => id),
  );
}

export function writeTexts(tx: Transaction, sql: Dialect, messages: readonly FindableMessage[]): Promise<void> {
  return write(tx, sql, [sql.insertTexts(messages.map(indexedText))]);
}

/** Reindexes a chat's messages for its new owner. */
export async function writeOwner(tx: Transaction, { owners }: Dialect, chatId: string, userId: string): Promise<void> {
  if (owners === null) return;
  for (let after = 0; ;) {
    const texts = await tx.rows<{ id: number; bytes: number }>(owners.texts(chatId, after, MESSAGES_PER_INSERT));
    const [piece = []] = boundedPieces(texts, ({ bytes }) => bytes, DATA_PER_INSERT);
    const [first, last] = [piece[0], piece.at(-1)];
    if (first === undefined || last === undefined) return;
    await tx.run(owners.index(chatId, userId, { first: first.id, last: last.id }));
    after = last.id;
  }
}

async function write(tx: Transaction, sql: Dialect, changes: readonly Sql[]): Promise<void> {
  for (const statement of sql.combineWrites(changes)) await tx.run(statement);
}

function messageInserts(sql: Dialect, messages: readonly PlacedMessage[], hooks: readonly ChangeHooks[]): Sql[] {
  const added: Sql[] = [];
  for (const each of hooks) added.push(...(each.messageStatements?.(messages) ?? []));
  const runs: PlacedMessage[] = [];
  const sources: Row<'message_sources'>[] = [];
  const hashes: Row<'message_source_hashes'>[] = [];
  const texts: Row<'message_texts'>[] = [];
  for (const message of messages) {
    const { chatId, seq, parentSeq, sourceHashes = [] } = message;
    if (seq > 1 && parentSeq !== seq - 1) runs.push(message);
    if (message.sources.length > 0) sources.push(...sourceRows(message));
    for (const each of sourceHashes) hashes.push({ chatId, seq, ...each });
    texts.push(indexedText(message));
  }
  return [
    sql.insert('messages', messages),
    ...(runs.length === 0 ? [] : [sql.insert('message_runs', runs)]),
    ...(sources.length === 0 ? [] : [sql.insert('message_sources', sources)]),
    ...(hashes.length === 0 ? [] : [sql.insert('message_source_hashes', hashes)]),
    ...added,
    sql.insertTexts(texts),
  ];
}

/** Their positions are those without a hash. */
function sourceRows({ chatId, seq, sources, sourceHashes = [] }: PlacedMessage): Row<'message_sources'>[] {
  const taken = new Set(sourceHashes.map(({ position }) => position));
  let position = -1;
  return sources.map((source) => {
    do position++;
    while (taken.has(position));
    return { chatId, seq, position, sourceSeq: source.seq };
  });
}

/** Column by column, because imported messages compute them when read. */
export function rowOf(message: PlacedMessage): Row<'messages'> {
  return pickColumns(message, COLUMNS);
}

type FindableMessage = Pick<PlacedMessage, 'id' | 'chatId' | 'name' | 'createdAt' | 'seq' | 'text'>;

function indexedText({ id, chatId, name, createdAt, seq, text }: FindableMessage): Row<'message_texts'> {
  return { messageId: id, chatId, name, createdAt, seq, ...indexedTerms(text) };
}
