/** The statements of `npm run check`, identical on every database. */
import type { Differences } from '../differences.js';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';

/** The part of a check that a statement reads. */
export interface CheckedTable {
  readonly table: string;
  /** The columns of a unique index, which orders the rows. */
  readonly key: readonly string[];
  /** Other columns that the conditions or `content` read. */
  readonly columns: readonly string[];
  /** Columns of referenced rows that `content` reads, by output name. */
  readonly outputs?: Readonly<Record<string, string>>;
  /**
   * The owner of the row's chat: rows of a chat that is being deleted or imported are skipped.
   * @default 'c.userId'
   */
  readonly owner?: string;
  /** Referenced rows by alias. */
  readonly joins: Readonly<Record<string, string>>;
  /** Each problem with its condition. A row has the first problem whose condition holds. */
  readonly problems: readonly (readonly [problem: string, condition: string])[];
}

/** The problem number of a row whose chat is being deleted or imported. */
export const SKIPPED = -1;

/** @param readsKeysFirst whether a step reads the keys of its rows, and joins their columns */
export function checkStatements({ first, table }: Differences, readsKeysFirst = false) {
  const named = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => table(name).sql).replace(/\b([a-z]+)\.([a-z]\w*)/gi, '$1."$2"');

  return {
    /**
     * Rows with the key, columns and outputs of a check, in key order, and `problem`: the index of the problem, null
     * for none, or SKIPPED.
     * @param after the key of the last row read; null starts at the beginning
     */
    checkedRows: (
      { table: name, key, columns, outputs = {}, owner = 'c.userId', joins, problems }: CheckedTable,
      after: readonly (string | number)[] | null,
      limit: number,
    ): Sql => {
      const selected = [...key, ...columns].map((column) => `r."${column}" AS "${column}"`).join(', ');
      const read = Object.entries(outputs).map(([output, column]) => `, ${named(column)} AS "${output}"`);
      const cases = problems.map(([, condition], n) => `WHEN ${named(condition)} THEN ${n}`);
      const joined = Object.entries(joins).map(
        ([alias, on]) => `LEFT JOIN ${named(on.replace(' ON ', ` ${alias} ON `))}`,
      );
      const order = raw(`ORDER BY ${key.map((column) => `r."${column}"`).join(', ')}`);
      const step = (read: string) =>
        sql`(SELECT ${raw(read)} FROM ${table(name)} r ${beyond(key, after)} ${order} ${first(limit)})`;
      const place = columns.includes('chatId') ? [...key, 'chatId'] : key;
      const found = place.map((column) => `r."${column}" = k."${column}"`).join(' AND ');
      const rows = readsKeysFirst
        ? sql`${step(place.map((column) => `r."${column}"`).join(', '))} k JOIN ${table(name)} r ON ${raw(found)}`
        : sql`${step(selected)} r`;
      return sql`
        SELECT ${raw(selected + read.join(''))},
          CASE WHEN ${raw(named(owner))} = '' THEN ${raw(`${SKIPPED} ${cases.join(' ')}`)} END AS "problem"
        FROM ${rows} ${raw(joined.join(' '))} ${order}`;
    },
    /** Rows { id, chatId } of the existing ids. */
    chatsOfRows: (name: 'messages' | 'branches' | 'checkpoints', ids: readonly string[]): Sql =>
      sql`SELECT "id" AS "id", "chatId" AS "chatId" FROM ${table(name)} WHERE "id" IN (${join(ids)})`,
    /** One row { total }: all rows of a table. */
    countAll: (name: string): Sql => sql`SELECT count(*) AS "total" FROM ${table(name)}`,
  };
}

/** Bounds the first column so that each database seeks in the index to the end of the last step. */
function beyond(key: readonly string[], after: readonly (string | number)[] | null): Sql {
  const [first] = key;
  if (after === null || first === undefined) return empty;
  const one = raw(`r."${first}"`);
  return key.length === 1
    ? sql`WHERE ${one} > ${after[0]}`
    : sql`WHERE ${one} >= ${after[0]} AND ${follows(key, after)}`;
}

function follows([first = '', ...others]: readonly string[], [value, ...values]: readonly (string | number)[]): Sql {
  const one = raw(`r."${first}"`);
  if (others.length === 0) return sql`${one} > ${value}`;
  return sql`(${one} > ${value} OR ${one} = ${value} AND ${follows(others, values)})`;
}
