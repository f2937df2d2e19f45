/** What several statements of SQL Server have in common. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import {
  columnNames,
  TABLES,
  type Column,
  type ColumnKind,
  type Row,
  type TableName,
} from '../../../conversation/tables.js';
import { MESSAGE_COLUMNS } from '../../reading/row-format.js';
import { KEY, list, longTexts, type Type } from './lists.js';
import type { Tables } from './tables.js';

export const BRANCH_COLUMNS = ['id', 'chatId', 'name', 'headMessageId', 'isActive', 'createdAt', 'seq'];
const CHAT_COLUMNS = ['id', 'userId', 'title', 'metadata', 'createdAt', 'updatedAt', 'version'];

/** The columns of a list by their kinds; longer texts than those travel beside it. */
const TYPES: Readonly<Partial<Record<ColumnKind, Type>>> = { key: KEY, int: 'INT', time: 'BIGINT', boolean: 'INT' };

/** An INSERT of rows, which travel as one JSON text, and as another for each column of longer texts. */
export function insertInto<Table extends TableName>(tables: Tables, table: Table, rows: readonly Row<Table>[]): Sql {
  const listed: Record<string, Type> = {};
  const joins: Sql[] = [];
  const selected = Object.entries<Column>(TABLES[table]).map(([name, { kind }]) => {
    const type = TYPES[kind];
    if (type !== undefined) {
      listed[name] = type;
      return kind === 'boolean' ? `CAST(k.[${name}] AS BIT)` : `k.[${name}]`;
    }
    const texts = rows.map((row) => row[name as keyof Row<Table>] as string);
    joins.push(sql`INNER JOIN ${longTexts(texts)} ${raw(`d${joins.length} ON d${joins.length}.[n] = k.[n]`)}`);
    return `d${joins.length - 1}.[text]`;
  });
  const values = rows.map((row) =>
    Object.fromEntries(Object.keys(listed).map((name) => [name, numberOf(row[name as keyof Row<Table>])])),
  );
  return sql`
    INSERT INTO ${tables.named(table)} (${raw(
      columnNames(table)
        .map((name) => `[${name}]`)
        .join(', '),
    )})
    SELECT ${raw(selected.join(', '))}
    FROM ${list(values, listed)} ${joins.length === 0 ? empty : join(joins, ' ')}`;
}

const numberOf = (value: unknown) => (typeof value === 'boolean' ? Number(value) : (value as string | number | null));

export const columnsOf = (alias: string, columns: readonly string[]): Sql =>
  raw(columns.map((column) => `${alias}.[${column}]`).join(', '));

export const chatColumns = columnsOf('c', CHAT_COLUMNS);

/** Those of messages m. DATALENGTH tells two bytes a code unit, without reading the value. */
export const messageColumns = (inlineBytes: number): Sql => sql`${columnsOf('m', MESSAGE_COLUMNS)},
      CASE WHEN DATALENGTH(m.[data]) / 2 <= ${inlineBytes} THEN m.[data] END AS [data],
      CASE WHEN DATALENGTH(m.[data]) / 2 > ${inlineBytes} THEN DATALENGTH(m.[data]) / 2 END AS [dataBytes]`;

/** Of a chat c: that it is somebody's, and not about to go. See NOBODY. */
export const isThere = raw("c.[userId] <> N''");

export const noLimit = raw('OPTION (MAXRECURSION 0)');

export const seqRanges = (ranges: readonly { chatId: string; firstSeq: number; lastSeq: number }[]): Sql =>
  list(ranges, { chatId: KEY, firstSeq: 'INT', lastSeq: 'INT' });

export function countOf(condition: Sql): Sql {
  return sql`SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END)`;
}

/** Nothing comes before ''; it is compared as if it were spaces, though, and before those come control characters. */
export function behind(word: 'WHERE' | 'AND', alias: string, id: string): Sql {
  return id === '' ? empty : sql`${raw(word)} ${raw(alias)}.[id] > ${id}`;
}

/** That a row is of the chat and has the id of a key k. */
export const isOfKey = (alias: string): Sql => raw(`${alias}.[id] = k.[id] AND ${alias}.[chatId] = k.[chatId]`);

/**
 * One step of a walk j to the ancestor m at a depth: to the jump, unless that goes too far up, else to the parent. The walk
 * stops where a row does not lead to a smaller depth of its chat, so that it ends whatever is stored.
 */
export const jumpStep = ({ messages }: Tables): Sql => sql`
    FROM j
    INNER JOIN ${messages} far ON far.[id] = j.[jumpId] AND far.[chatId] = j.[chatId] AND far.[depth] < j.[depth]
    INNER JOIN ${messages} m ON m.[id] = CASE WHEN far.[depth] >= j.[toDepth] THEN far.[id] ELSE j.[parentId] END
      AND m.[chatId] = j.[chatId] AND m.[depth] < j.[depth]
    WHERE j.[depth] > j.[toDepth]`;

/** The parent p of a message of a walk w, one depth higher in the same chat. */
export const parentStep = ({ messages }: Tables): Sql => sql`
    FROM w INNER JOIN ${messages} p ON p.[id] = w.[parentId] AND p.[chatId] = w.[chatId] AND p.[depth] = w.[depth] - 1`;

/** The jump of a message of a walk w, at a smaller depth of the same chat. */
export const ladderStep = ({ messages }: Tables): Sql => sql`
    FROM w INNER JOIN ${messages} j ON j.[id] = w.[jumpId] AND j.[chatId] = w.[chatId] AND j.[depth] < w.[depth]`;
