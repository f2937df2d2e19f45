/** The statements of `npm run check`: every database takes them word for word. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { TableCheck } from '../checking/table-check.js';

/** The problem number of a row whose chat is being removed or written. */
export const SKIPPED = -1;

export type CheckStatements = ReturnType<typeof checkStatements>;

/**
 * @param table how the database calls one of Parley's tables
 * @param first what follows an ORDER BY to take so many rows
 */
export function checkStatements(table: (name: string) => Sql, first: (count: number) => Sql) {
  const named = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => table(name).sql).replace(/\b([a-z]+)\.([a-z]\w*)/gi, '$1."$2"');

  return {
    /**
     * Rows with the key, the columns and the outputs of a check, and `problem`: the index of the problem, null for none, or
     * SKIPPED. They follow a row in the order of the key.
     * @param after the key of that row; null begins with the first
     */
    checkedRows: (
      { table: name, key, columns, outputs = {}, owner = 'c.userId', joins, problems }: TableCheck,
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
      return sql`
        SELECT ${raw(selected + read.join(''))},
          CASE WHEN ${raw(named(owner))} = '' THEN ${raw(`${SKIPPED} ${cases.join(' ')}`)} END AS "problem"
        FROM (SELECT ${raw(selected)} FROM ${table(name)} r ${beyond(key, after)} ${order} ${first(limit)}) r
        ${raw(joined.join(' '))} ${order}`;
    },
    /** Rows { id, chatId } of those ids that there are. */
    chatsOfRows: (name: 'messages' | 'branches' | 'checkpoints', ids: readonly string[]): Sql =>
      sql`SELECT "id" AS "id", "chatId" AS "chatId" FROM ${table(name)} WHERE "id" IN (${join(ids)})`,
    /** One row { total }: all rows of a table. */
    countAll: (name: string): Sql => sql`SELECT count(*) AS "total" FROM ${table(name)}`,
  };
}

/** As a range of the first column, so that each database begins in the index where the last step ended. */
function beyond(key: readonly string[], after: readonly (string | number)[] | null): Sql {
  if (after === null) return empty;
  const [one = '', two] = key.map((column) => `r."${column}"`);
  if (two === undefined) return sql`WHERE ${raw(one)} > ${after[0]}`;
  return sql`WHERE ${raw(one)} >= ${after[0]} AND (${raw(one)} > ${after[0]} OR ${raw(two)} > ${after[1]})`;
}
