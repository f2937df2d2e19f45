/** The statement of `npm run check`, identical on every database. */
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { Differences } from '../../../database/dialects/differences.js';
import type { TableCheck } from '../../../database/table-check.js';

/** The problem number of a row whose chat is being deleted or imported. */
export const SKIPPED = -1;

/**
 * Rows with the key, columns and outputs of a check, in key order, and `problem`: the index of the problem, null
 * for none, or SKIPPED.
 * @param after the key of the last row read; null starts at the beginning
 */
export function checkedRows(
  d: Differences,
  { table: name, key, columns, outputs = {}, owner = 'c.userId', joins, problems }: TableCheck,
  after: readonly (string | number)[] | null,
  limit: number,
): Sql {
  const { first, table } = d;
  const named = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => table(name).sql).replace(/\b([a-z]+)\.([a-z]\w*)/gi, '$1."$2"');
  const selected = [...key, ...columns].map((column) => `r."${column}" AS "${column}"`).join(', ');
  const read = Object.entries(outputs).map(([output, column]) => `, ${named(column)} AS "${output}"`);
  const cases = problems.map(([, condition], n) => `WHEN ${named(condition)} THEN ${n}`);
  const joined = Object.entries(d.joinsOfChecks?.(joins) ?? joins).map(
    ([alias, on]) => `LEFT JOIN ${named(on.replace(' ON ', ` ${alias} ON `))}`,
  );
  const order = raw(`ORDER BY ${key.map((column) => `r."${column}"`).join(', ')}`);
  const step = (read: string) =>
    sql`(SELECT ${raw(read)} FROM ${table(name)} r ${beyond(key, after)} ${order} ${first(limit)})`;
  const place = columns.includes('chatId') ? [...key, 'chatId'] : key;
  const found = place.map((column) => `r."${column}" = k."${column}"`).join(' AND ');
  const rows =
    d.joinsOfChecks !== undefined
      ? sql`${step(place.map((column) => `r."${column}"`).join(', '))} k JOIN ${table(name)} r ON ${raw(found)}`
      : sql`${step(selected)} r`;
  return sql`
    SELECT ${raw(selected + read.join(''))},
      CASE WHEN ${raw(named(owner))} = '' THEN ${raw(`${SKIPPED} ${cases.join(' ')}`)} END AS "problem"
    FROM ${rows} ${raw(joined.join(' '))} ${order}`;
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
