/**
 * How messages come out of a database: as rows with n and the columns below, or as one row { json }, an array of arrays
 * of the same values. On SQLite, taking thousands of rows apart column by column costs the driver more than writing and
 * parsing their JSON; PostgreSQL takes longer to write it than its driver takes to read rows.
 *
 * Of data that is too long to come along, its length does: see message-data.ts. In plain rows that is a column of its own.
 */
import type { Message } from '../../conversation/model.js';
import { columnNames, SEPARATE_MESSAGE_COLUMNS, type Row } from '../../conversation/tables.js';
import type { RunStart } from '../../conversation/outline.js';

export interface RowFormat {
  messages(rows: readonly object[]): MessageRow[];
  graphNodes(rows: readonly object[]): GraphNode[];
  runStarts(rows: readonly object[]): (RunStart & Indexed)[];
}

export type GraphNode = Pick<Row<'messages'>, (typeof GRAPH_COLUMNS)[number]> & Indexed;

/** A row of an answer to a list of keys: `n` is the index of the key that it answers. */
export interface Indexed {
  n: number;
}

/** A message with its data, or with how many bytes that has, about. */
export interface MessageRow extends Omit<Message, 'data'>, Indexed {
  data: string | number;
}

/** Columns of every row; `data` follows them. */
export const MESSAGE_COLUMNS = columnNames('messages', ['data', ...SEPARATE_MESSAGE_COLUMNS]);

export const GRAPH_COLUMNS = ['id', 'parentId', 'name', 'preview', 'depth', 'createdAt', 'seq'] as const;

export const jsonRows: RowFormat = {
  messages: (rows) => parse<MessageRow>(rows, ['n', ...MESSAGE_COLUMNS, 'data']),
  graphNodes: (rows) => parse<GraphNode>(rows, ['n', ...GRAPH_COLUMNS]),
  runStarts: (rows) => parse<RunStart & Indexed>(rows, ['n', 'seq', 'above']),
};

/** @param names of the values of each array, in their order */
function parse<Row extends object>(rows: readonly object[], names: readonly (keyof Row & string)[]): Row[] {
  const [row] = rows as readonly { json: string | null }[];
  const lists = JSON.parse(row?.json ?? '[]') as unknown[][];
  // Copies of one object share its shape, which makes them as fast as object literals.
  const shape = Object.fromEntries(names.map((name) => [name, null]));
  return lists.map((values) => {
    const made: Record<string, unknown> = { ...shape };
    let n = 0;
    for (const name in made) made[name] = values[n++];
    return made as Row;
  });
}

export const plainRows: RowFormat = {
  messages: (rows) =>
    (rows as (MessageRow & { dataBytes: number | null })[]).map((row) => {
      // In place: copies of thousands of rows would be most of the work.
      if (row.dataBytes !== null) row.data = row.dataBytes;
      return row;
    }),
  graphNodes: (rows) => rows as GraphNode[],
  runStarts: (rows) => rows as (RunStart & Indexed)[],
};
