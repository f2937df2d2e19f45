/** Fragments shared by several statements. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';
import type { ChainKey } from '../../../conversation/reads.js';
import { TABLES, type Column, type Row, type TableName } from '../../../conversation/tables.js';
import type { Differences, KeyKind, KeyTable, RowAnywhere } from '../differences.js';

export const namesOf = (table: TableName): string[] => Object.keys(TABLES[table]);

export const columnsOf = (alias: string, names: readonly string[]): Sql =>
  raw(names.map((name) => `${alias}."${name}"`).join(', '));

/**
 * The owner value of a chat that is being deleted in steps; no user's id is empty. Its row goes last, because others
 * reference it. Reads skip the chat. See removal.ts.
 */
export const DELETED_OWNER = '';

/** INSERT of a few rows, whose values are parameters. */
export function insertRows<Table extends TableName>(d: Differences, table: Table, rows: readonly Row<Table>[]): Sql {
  const columns = Object.entries<Column>(TABLES[table]);
  const valueOf = (kind: Column['kind'], value: unknown) =>
    kind === 'jsonb' ? d.metadata.value(String(value)) : kind === 'boolean' ? d.boolean(value === true) : value;
  const values = rows.map((row) => {
    const of: Readonly<Record<string, unknown>> = row;
    return sql`(${join(columns.map(([name, { kind }]) => valueOf(kind, of[name])))})`;
  });
  return sql`
    INSERT INTO ${d.table(table)} (${raw(columns.map(([name]) => `"${name}"`).join(', '))}) VALUES ${join(values)}`;
}

/** The condition that a chat c is not being deleted. See DELETED_OWNER. */
export const isThere = raw(`c."userId" <> ''`);

/** '' precedes every id, but SQL Server compares it as a space, which follows control characters. */
export const isAfter = (column: Sql, id: string): Sql => (id === '' ? raw('1 = 1') : sql`${column} > ${id}`);

/** A position in the order of chats and seqs; '' precedes all chats. */
export interface SeqPosition {
  readonly chatId: string;
  readonly seq: number;
}

/**
 * The condition that a row with a chatId and a seq follows a position. Its first part seeks in the index.
 * @param alias of the table, with a dot; '' for none
 */
export function isBeyond(d: Differences, alias: string, { chatId, seq }: SeqPosition): Sql {
  const [chat, number] = [raw(`${alias}"chatId"`), raw(`${alias}"seq"`)];
  if (chatId === '') return isAfter(chat, chatId);
  return sql`${chat} >= ${chatId} AND (${chat} > ${chatId} OR ${number} > ${d.number(seq)})`;
}

/** The same up to another position. Within one chat, one partition has the rows. */
export function isWithin(d: Differences, alias: string, after: SeqPosition, { chatId, seq }: SeqPosition): Sql {
  const [chat, number] = [raw(`${alias}"chatId"`), raw(`${alias}"seq"`)];
  return after.chatId === chatId
    ? sql`${chat} = ${chatId} AND ${number} > ${d.number(after.seq)} AND ${number} <= ${d.number(seq)}`
    : sql`${isBeyond(d, alias, after)} AND ${chat} <= ${chatId} AND (${chat} < ${chatId} OR ${number} <= ${d.number(seq)})`;
}

export type Fragments = ReturnType<typeof fragmentsOf>;

export function fragmentsOf(d: Differences) {
  /** The condition that an alias has an id and belongs to a chat. */
  const isRow = (alias: string, { id, chatId }: { id: Sql; chatId: Sql }): Sql =>
    sql`${raw(alias)}."id" = ${id} AND ${d.chatIdBesideId(alias)} = ${chatId}`;
  /** Joins the message of a chat by id. @param condition on the joined row */
  const message = (alias: string, row: { id: Sql; chatId: Sql }, condition = empty): Sql =>
    d.lookUp('messages', alias, sql`${isRow(alias, row)} ${condition}`);
  const of = (alias: string, id: string, chat: Sql | null = null) => ({
    id: raw(id),
    chatId: chat ?? raw(`${alias}."chatId"`),
  });
  const chats = namesOf('chats').map((name) =>
    name === 'metadata' ? `${d.metadata.column.sql} AS "metadata"` : `c."${name}"`,
  );
  /** Without members. */
  const columnsOfChats = raw(chats.join(', '));
  const memberColumns = namesOf('chat_members').filter((name) => name !== 'chatId');
  /** The members of chats c as "members", see Chat: read with the chat, so that no role is older than the chat. */
  const members = (chat?: Sql | null): Sql =>
    sql`${d.jsonOf('u', memberColumns, sql`${d.table('chat_members')} u WHERE u."chatId" = ${chat ?? raw('c."id"')}`)} AS "members"`;
  const idsAs =
    (kind: KeyKind) =>
    (values: readonly string[]): KeyTable<'id'> =>
      d.keys(
        values.map((id) => ({ id })),
        { id: kind },
      );
  return {
    ids: idsAs('key'),
    chats: idsAs('chat'),
    scoped: (keys: readonly ChatScoped[]): KeyTable<'chatId' | 'id'> => d.keys(keys, { chatId: 'chat', id: 'key' }),
    isRow,
    message,
    /** Joins rows of any chat by an index. */
    anywhere: (table: TableName, alias: string, row: RowAnywhere): Sql =>
      d.lookUpAnywhere?.(table, alias, row) ??
      d.lookUp(table, alias, sql`${raw(`${alias}."${row.column}"`)} = ${row.key}`),
    /**
     * The columns of chats c, their metadata as text, and their members.
     * @param chat their only chat, here and below: see KeyTable
     */
    chatColumns: (chat?: Sql | null): Sql => sql`${columnsOfChats}, ${members(chat)}`,
    columnsOfChats,
    members,
    /** The columns of branches b with the depth of their heads h, which gives messageCount. */
    branchColumns: sql`${columnsOf('b', namesOf('branches'))}, h."depth" AS "headDepth"`,
    /** Begins a statement that is prepared where all keys are of one chat. */
    prepared: (chat: Sql | null): Sql => (chat === null ? empty : d.prepared),
    /** Joins the heads h of branches. */
    heads: (alias: string, chat?: Sql | null): Sql =>
      sql`LEFT JOIN ${d.table('messages')} h ON ${isRow('h', of(alias, `${alias}."headMessageId"`, chat))}`,
    /** The condition that a branch b has a name, or is active for null. */
    isNamed: (name: string | null): Sql => (name === null ? d.isTrue(raw('b."isActive"')) : sql`b."name" = ${name}`),
    /**
     * One step of a walk j to the ancestor m at a depth: along the jump unless it overshoots, else to the parent. Depths
     * must decrease, so that damaged rows cannot loop.
     */
    jumpStep: (chat: Sql | null): Sql => sql`
      FROM j
      ${message('far', of('j', 'j."jumpId"', chat), raw('AND far."depth" < j."depth"'))}
      ${message(
        'm',
        of('j', 'CASE WHEN far."depth" >= j."toDepth" THEN far."id" ELSE j."parentId" END', chat),
        raw('AND m."depth" < j."depth"'),
      )}
      WHERE j."depth" > j."toDepth"`,
    /** The parent p of a message of a walk w, one depth higher in the same chat. */
    parentStep: (chat: Sql | null): Sql =>
      sql`FROM w ${message('p', of('w', 'w."parentId"', chat), raw('AND p."depth" = w."depth" - 1'))}`,
    /** A walk w on a path from run to run, end to root. `left` is the number of messages that the path still has. */
    runs({ chatId, messageId, length }: ChainKey): Sql {
      const chat = d.hidden(chatId);
      // The last condition ends the walk whatever the rows and the plan are.
      const end = (alias: string) => {
        const first = sql`f."chatId" = ${chat} AND f."seq" = coalesce(r."seq", 1) AND f."seq" + 0 <= ${raw(alias)}."seq"`;
        return sql`${d.runOf('r', alias, chat)} ${d.lookUp('messages', 'f', first)}`;
      };
      return sql`w("firstSeq", "lastSeq", "parentId", "left") AS (
        SELECT f."seq", m."seq", f."parentId", ${d.hidden(length)} FROM ${d.table('messages')} m ${end('m')}
        WHERE ${isRow('m', { id: sql`${messageId}`, chatId: chat })} AND ${d.hidden(length)} > 0
        UNION ALL
        SELECT f."seq", p."seq", f."parentId", w."left" - (w."lastSeq" - w."firstSeq" + 1)
        FROM w ${message('p', { id: raw('w."parentId"'), chatId: chat }, raw('AND p."seq" + 0 < w."firstSeq"'))} ${end('p')}
        WHERE w."left" > w."lastSeq" - w."firstSeq" + 1
      )`;
    },
    /** The condition that a message m is in a run of a walk w, and on its path. */
    isInRun: (chatId: string): Sql => sql`m."chatId" = ${d.hidden(chatId)} AND m."seq" <= w."lastSeq" AND m."seq" >
        CASE WHEN w."firstSeq" > w."lastSeq" - w."left" THEN w."firstSeq" - 1 ELSE w."lastSeq" - w."left" END`,
    /** The jump j of a message of a walk w, at a smaller depth of the same chat. */
    ladderStep: (chat: Sql | null): Sql =>
      sql`FROM w ${message('j', of('w', 'w."jumpId"', chat), raw('AND j."depth" < w."depth"'))}`,
  };
}
