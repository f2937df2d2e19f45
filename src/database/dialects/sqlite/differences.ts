/** The differences of SQLite. Lists of keys are JSON arrays, read with json_each. */
import sql, { empty, raw, Sql } from 'sql-template-tag';
import { MAX_NAME_LENGTH } from '../../../conversation/bounds.js';
import { columnNames, TABLES, type Row, type TableName } from '../../../conversation/tables.js';
import { statementTemplate } from '../statement-template.js';
import { MESSAGE_COLUMNS } from '../row-format.js';
import type { Differences, KeyTable } from '../differences.js';

export const list = (keys: readonly unknown[]): Sql => sql`json_each(${JSON.stringify(keys)})`;

const table = (name: string): Sql => raw(name);
const limit = (count: number): Sql => sql`LIMIT ${count === 1 ? raw('1') : count}`;
const join = (name: string, alias: string, on: Sql): Sql => sql`CROSS JOIN ${table(name)} ${raw(alias)} ON ${on}`;

const OF_MESSAGES = raw(MESSAGE_COLUMNS.map((name) => `m."${name}"`).join(', '));

/** Rows as one JSON array of arrays. */
const jsonArrays = (values: readonly Sql[]): Sql =>
  raw(`json_group_array(json_array(${values.map((value) => value.sql).join(', ')})) AS "json"`);

/** The columns of each table, and the begin of its INSERT. */
const INSERTS = Object.fromEntries(
  (Object.keys(TABLES) as TableName[]).map((name) => {
    const columns: readonly string[] = columnNames(name);
    return [name, { columns, into: `INSERT INTO ${name} (${columns.map((column) => `"${column}"`).join(', ')})` }];
  }),
) as Record<TableName, { columns: readonly string[]; into: string }>;

/** More rows are sent as JSON: statements with many parameters would fill the statement cache. */
const FEW_ROWS = 64;

export const sqliteDifferences: Differences = {
  table,
  top: () => empty,
  limit,
  part: (count, skipped) => sql`LIMIT ${count} OFFSET ${skipped}`,
  first: limit,
  prepared: empty,
  walk: { begin: raw('WITH RECURSIVE'), end: empty },

  // Expressions that give the keys an affinity: json_each declares no types.
  keys(keys, columns) {
    const names = Object.keys(columns) as (keyof typeof columns)[];
    const [single] = names;
    const values: unknown[] = [];
    for (const key of keys) values.push(names.length === 1 && single ? key[single] : names.map((name) => key[name]));
    const taken: Partial<Record<keyof typeof columns, Sql>> = {};
    for (const [n, name] of names.entries()) taken[name] = raw(names.length === 1 ? 'k.value' : `k.value ->> ${n}`);
    return { from: sql`${list(values)} k`, n: raw('k."key" + 0'), chat: null, ...taken } as KeyTable<
      keyof typeof columns
    >;
  },
  hidden: (value) => sql`${value}`,
  kept: statementTemplate,
  isOneOf: (column, values) => sql`${column} IN (SELECT value FROM ${list(values)})`,

  // CROSS JOIN fixes the join order: the short list first, then the index.
  join: raw('CROSS JOIN'),
  lookUp: join,
  lookUpOrNull: (name, alias, on) => sql`LEFT JOIN ${table(name)} ${raw(alias)} ON ${on}`,
  firstOfEach: (alias, { table: name, where, order, limit: count }) =>
    join(
      name,
      alias,
      sql`${raw(alias)}.rowid IN (SELECT s.rowid FROM ${table(name)} s WHERE ${where} ORDER BY ${order} ${limit(count)})`,
    ),
  runOf: (alias, message, chatId) => sql`
    LEFT JOIN message_runs ${raw(alias)} ON ${raw(alias)}."chatId" = ${chatId} AND ${raw(alias)}."seq" = (
      SELECT max(s."seq") FROM message_runs s WHERE s."chatId" = ${chatId} AND s."seq" <= ${raw(message)}."seq"
    )`,
  childrenOf: ({ chatId, parentId, start, end }) =>
    join(
      'messages',
      'm',
      sql`m."chatId" = ${chatId} AND m."parentId" IS ${parentId}
        AND m."siblingIndex" >= ${start} AND m."siblingIndex" < ${end}`,
    ),
  // The plus keeps the lookup on the primary key: the composite index is wider and slower.
  chatIdBesideId: (alias) => raw(`+${alias}."chatId"`),

  rowsOf: (columns) => jsonArrays(Object.values(columns)),
  // octet_length reads the length from the row's header.
  messagesOf: (n, inlineBytes) => sql`json_group_array(json_array(${n}, ${OF_MESSAGES},
    iif(octet_length(m."data") <= ${inlineBytes}, m."data", octet_length(m."data")))) AS "json"`,
  jsonOf: (alias, columns, from = raw(alias)) =>
    sql`(SELECT json_group_array(json_object(${raw(columns.map((name) => `'${name}', ${alias}."${name}"`).join(', '))})) FROM ${from})`,
  payloadMember: (alias, name) => raw(`${alias}."payload" ->> '$.${name}'`),
  bytes: (column) => sql`octet_length(${column})`,
  isTrue: (column) => sql`${column} = 1`,
  boolean: (value) => raw(value ? '1' : '0'),
  number: (value) => sql`${value}`,
  // Functions parse equal text once per statement; json_each would parse it each time.
  metadata: {
    column: raw('c."metadata"'),
    value: (json) => sql`${json}`,
    has: (members) => members.map(({ key, equals }) => sql`c."metadata" -> ${`$.${JSON.stringify(key)}`} = ${equals}`),
    isReadInSteps: true,
  },
  hasOutdatedWords: raw('c."title" IS NOT c."indexedTitle"'),
  idOf: (prefix, seq) => sql`${prefix} || printf('%08x', ${seq})`,
  startsWith: (column, prefix) => sql`${column} <= ${prefix + '\u{10FFFF}'.repeat(MAX_NAME_LENGTH)}`,

  insert<Table extends TableName>(name: Table, rows: readonly Row<Table>[], unlessThere?: keyof Row<Table>): Sql {
    const { columns, into } = INSERTS[name];
    const conflict = unlessThere === undefined ? '' : ` ON CONFLICT ("${String(unlessThere)}") DO NOTHING`;
    const all = rows.map((row: Readonly<Record<string, unknown>>) => {
      const values: unknown[] = [];
      for (const column of columns) values.push(typeof row[column] === 'boolean' ? Number(row[column]) : row[column]);
      return values;
    });
    if (rows.length <= FEW_ROWS) {
      const values = all.flat();
      const strings = [`${into} VALUES (`];
      for (let n = 1; n < values.length; n++) strings.push(n % columns.length === 0 ? '), (' : ', ');
      return new Sql([...strings, `)${conflict}`], values);
    }
    const taken = raw(columns.map((_, n) => `value ->> ${n}`).join(', '));
    return sql`${raw(into)} SELECT ${taken} FROM ${list(all)} WHERE true ${raw(conflict)}`;
  },
  // A transaction locks the whole file.
  lock: { table: empty, statement: empty },
  lockIfFree: { table: empty, statement: empty },
};
