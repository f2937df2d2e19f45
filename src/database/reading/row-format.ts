/**
 * How messages come out of a database: as rows with n and the columns below, or as one row { json }, an array of arrays
 * of the same values. On SQLite, taking thousands of rows apart column by column costs the driver more than writing and
 * parsing their JSON; PostgreSQL takes longer to write it than its driver takes to read rows.
 *
 * Of data that is too long to come along, its length does: see message-data.ts. In plain rows that is a column of its own.
 */
import type { Message } from '../../conversation/model.js';
import type { RunStart } from '../../conversation/outline.js';
import type { GraphRow } from '../../conversation/reads.js';

export interface RowFormat {
  messages(rows: readonly object[]): MessageRow[];
  graphNodes(rows: readonly object[]): (GraphRow & Pick<Message, 'seq'> & Indexed)[];
  runStarts(rows: readonly object[]): (RunStart & Indexed)[];
}

/** A row of an answer to a list of keys: `n` is the index of the key that it answers. */
export interface Indexed {
  n: number;
}

/** A message with its data, or with how many bytes that has, about. */
export interface MessageRow extends Omit<Message, 'data'>, Indexed {
  data: string | number;
}

/** Those of every row; behind them the data. */
export const MESSAGE_COLUMNS = [
  'id',
  'chatId',
  'parentId',
  'name',
  'type',
  'createdAt',
  'depth',
  'seq',
  'siblingIndex',
] as const;

export const GRAPH_COLUMNS = ['id', 'parentId', 'name', 'preview', 'depth', 'createdAt', 'seq'] as const;

type Values<T, Columns extends readonly (keyof T)[]> = { -readonly [I in keyof Columns]: T[Columns[I]] };
type MessageValues = [number, ...Values<Message, typeof MESSAGE_COLUMNS>, MessageRow['data']];
type GraphValues = [number, ...Values<GraphRow & Pick<Message, 'seq'>, typeof GRAPH_COLUMNS>];

export const jsonRows: RowFormat = {
  messages: (rows) =>
    parse<MessageValues>(rows).map(
      ([n, id, chatId, parentId, name, type, createdAt, depth, seq, siblingIndex, data]) => ({
        n,
        id,
        chatId,
        parentId,
        name,
        type,
        createdAt,
        depth,
        seq,
        siblingIndex,
        data,
      }),
    ),
  graphNodes: (rows) =>
    parse<GraphValues>(rows).map(([n, id, parentId, name, preview, depth, createdAt, seq]) => ({
      n,
      id,
      parentId,
      name,
      preview,
      depth,
      createdAt,
      seq,
    })),
  runStarts: (rows) => parse<[number, number, number | null]>(rows).map(([n, seq, above]) => ({ n, seq, above })),
};

function parse<Row>(rows: readonly object[]): Row[] {
  const [row] = rows as readonly { json: string | null }[];
  return JSON.parse(row?.json ?? '[]') as Row[];
}

/** Columns in which a driver hands out integers of its own kind. */
interface Numbers {
  n: number | bigint;
  createdAt: number | bigint;
}

export const plainRows: RowFormat = {
  messages: (rows) =>
    (rows as (MessageRow & Numbers & { dataBytes?: number | bigint | null })[]).map((row) => {
      if (row.dataBytes !== null) row.data = Number(row.dataBytes);
      return withNumbers(row);
    }),
  graphNodes: (rows) => (rows as (GraphRow & Pick<Message, 'seq'> & Indexed & Numbers)[]).map(withNumbers),
  runStarts: (rows) => rows as (RunStart & Indexed)[],
};

/** In place: the rows are nobody else's, and copies of thousands would be most of the work. */
function withNumbers<Row extends Numbers>(row: Row): Row & { n: number; createdAt: number } {
  row.n = Number(row.n);
  row.createdAt = Number(row.createdAt);
  return row as Row & { n: number; createdAt: number };
}
