/**
 * Messages come back from the database as JSON: one row { json }, an array of arrays, each the index of a key and the
 * columns below. Taking thousands of rows apart column by column costs the driver more than reading them.
 */
import type { Message } from '../conversation/model.js';
import type { GraphRow } from '../conversation/reads.js';

/** The one row of a statement that answers in JSON. */
export interface JsonRow {
  json: string;
}

/** A row of an answer to a list of keys: `n` is the index of the key that it answers. */
export interface Indexed {
  n: number;
}

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
  'data',
] as const;

export const GRAPH_COLUMNS = ['id', 'parentId', 'name', 'preview', 'depth', 'createdAt', 'seq'] as const;

type Values<T, Columns extends readonly (keyof T)[]> = { -readonly [I in keyof Columns]: T[Columns[I]] };
type MessageValues = [number, ...Values<Message, typeof MESSAGE_COLUMNS>];
type GraphValues = [number, ...Values<GraphRow & Pick<Message, 'seq'>, typeof GRAPH_COLUMNS>];

export function readMessages(rows: readonly JsonRow[]): (Message & Indexed)[] {
  return parse<MessageValues>(rows).map(
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
  );
}

export function readGraphRows(rows: readonly JsonRow[]): (GraphRow & Pick<Message, 'seq'> & Indexed)[] {
  return parse<GraphValues>(rows).map(([n, id, parentId, name, preview, depth, createdAt, seq]) => ({
    n,
    id,
    parentId,
    name,
    preview,
    depth,
    createdAt,
    seq,
  }));
}

function parse<Row>(rows: readonly JsonRow[]): Row[] {
  return JSON.parse(rows[0]?.json ?? '[]') as Row[];
}
