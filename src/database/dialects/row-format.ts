/**
 * The result formats of messages: rows with n and the columns below, or one row { json } with an array of value arrays.
 * JSON is faster with SQLite's driver, rows with PostgreSQL's. For long data the size is returned instead
 * (message-data.ts), in rows as a separate column.
 */
import type { Message } from '../../conversation/model.js';
import { columnNames, SEPARATE_MESSAGE_COLUMNS, type Row } from '../../conversation/tables.js';
import type { RunStart } from '../../conversation/outline.js';

export interface RowFormat {
  messages(rows: readonly object[]): MessageRow[];
  graphNodes(rows: readonly object[]): GraphNode[];
  runStarts(rows: readonly object[]): (RunStart & Keyed)[];
}

export type GraphNode = Pick<Row<'messages'>, (typeof GRAPH_COLUMNS)[number]> & Keyed;

/** A row for a list of keys: `n` is the index of its key. */
export interface Keyed {
  n: number;
}

/** A message with its data, or with the data's approximate size. */
export interface MessageRow extends Omit<Message, 'data'>, Keyed {
  data: string | number;
}

/** Columns of every row; `data` follows them. */
export const MESSAGE_COLUMNS = columnNames('messages', ['data', ...SEPARATE_MESSAGE_COLUMNS]);

export const GRAPH_COLUMNS = ['id', 'parentId', 'name', 'preview', 'depth', 'createdAt', 'seq'] as const;

export const jsonRows: RowFormat = {
  messages: parserOf<MessageRow>(['n', ...MESSAGE_COLUMNS, 'data']),
  graphNodes: parserOf<GraphNode>(['n', ...GRAPH_COLUMNS]),
  runStarts: parserOf<RunStart & Keyed>(['n', 'seq', 'above', 'position']),
};

/** @param names of the values of each array, in order */
function parserOf<Row extends object>(names: readonly (keyof Row & string)[]): (rows: readonly object[]) => Row[] {
  // Copies share one object shape, which is as fast as object literals.
  const shape = Object.fromEntries(names.map((name) => [name, null]));
  return (rows) => {
    const [row] = rows as readonly { json: string | null }[];
    const lists = JSON.parse(row?.json ?? '[]') as unknown[][];
    return lists.map((values) => {
      const made: Record<string, unknown> = { ...shape };
      let n = 0;
      for (const name in made) made[name] = values[n++];
      return made as Row;
    });
  };
}

export const plainRows: RowFormat = {
  messages: (rows) =>
    (rows as (MessageRow & { dataBytes: number | null })[]).map((row) => {
      // In place: copying thousands of rows would dominate the time.
      if (row.dataBytes !== null) row.data = row.dataBytes;
      return row;
    }),
  graphNodes: (rows) => rows as GraphNode[],
  runStarts: (rows) => rows as (RunStart & Keyed)[],
};
