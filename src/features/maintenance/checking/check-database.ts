/**
 * Verifies the invariants of every row while servers keep writing. Each step is one statement of bounded size over
 * narrow columns; only findings are kept between steps.
 */
import type { Reading } from '../../../database/whole-chats/chat-state.js';
import { CheckReport, type Finding } from './check-report.js';
import type { CheckedRow, TableCheck } from '../../../database/table-check.js';
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { Differences } from '../../../database/dialects/differences.js';

/** The problem number of a row whose chat is being deleted or imported. */
const SKIPPED = -1;

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

const ROWS_PER_STEP = 1_000;

/** The columns that identify a row in a finding, in addition to its key. */
const ID_COLUMNS = ['chatId', 'seq', 'id', 'draftId', 'endOffset'];

interface CheckedRows {
  rows: number;
  /** The key of the last row; null when there are no more. */
  last: (string | number)[] | null;
  findings: Finding[];
}

/**
 * @param checks of the core, and those of features
 * @param onProgress is called after each step with the rows that were checked and their total
 * @param report receives the findings
 */
export async function checkDatabase(
  from: Reading,
  checks: readonly TableCheck[],
  onProgress: (done: number, total: number) => void = () => {},
  report = new CheckReport(),
): Promise<CheckReport> {
  let total = 0;
  for (const { table } of checks) {
    const [row] = await from.read((db) => db.rows<{ total: number }>(from.sql.countAll(table)));
    total += row?.total ?? 0;
  }
  for (const check of checks) {
    for (let after: CheckedRows['last'] = null; ;) {
      const step: CheckedRows = await readStep(from, check, after);
      for (const finding of await confirmed(from, check, after, step)) report.add(finding);
      report.rows += step.rows;
      onProgress(report.rows, Math.max(report.rows, total));
      if (step.last === null) break;
      after = step.last;
    }
  }
  return report;
}

/**
 * The findings that a second read confirms: checks of several statements, and every SQL Server statement, may see a
 * partial change.
 */
async function confirmed(
  from: Reading,
  check: TableCheck,
  after: CheckedRows['last'],
  { findings }: CheckedRows,
): Promise<Finding[]> {
  if (findings.length === 0) return [];
  const again = new Set((await readStep(from, check, after)).findings.map((finding) => JSON.stringify(finding)));
  return findings.filter((finding) => again.has(JSON.stringify(finding)));
}

async function readStep(from: Reading, check: TableCheck, after: CheckedRows['last']): Promise<CheckedRows> {
  const rows = await from.read((db) =>
    db.rows<CheckedRow>(checkedRows(from.sql.differences, check, after, ROWS_PER_STEP)),
  );
  // Some forms of a schema read the keys of a step first: rows that are deleted meanwhile are missing.
  const last = rows.at(-1);
  const sound = rows.filter((row) => row['problem'] === null);
  const found = (await check.content?.(from, sound)) ?? new Map<CheckedRow, string>();
  for (const row of rows) {
    const problem = check.problems[Number(row['problem'] ?? SKIPPED)];
    if (problem !== undefined) found.set(row, problem[0]);
  }
  return {
    rows: rows.length,
    last: last === undefined ? null : check.key.map((name) => last[name] ?? ''),
    findings: [...found].map(([row, problem]) => ({ table: check.table, row: idsOf(check, row), problem })),
  };
}

function idsOf({ key }: TableCheck, row: CheckedRow): Finding['row'] {
  const ids = [...new Set([...ID_COLUMNS, ...key])]
    .map((name) => [name, row[name]] as const)
    .filter(([, value]) => value != null);
  return Object.fromEntries(ids) as Finding['row'];
}
