/** The differences of PostgreSQL. A list of keys is one array per column. */
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { MAX_NAME_LENGTH } from '../../../conversation/bounds.js';
import {
  columnNames,
  TABLES,
  type Column,
  type ColumnKind,
  type Row,
  type TableName,
} from '../../../conversation/tables.js';
import { statementTemplate } from '../statement-template.js';
import { MESSAGE_COLUMNS } from '../row-format.js';
import type { Differences, KeyKind, KeyTable } from '../differences.js';

/** The mark of statements that connections prepare: see nameOfStatement. */
export const PREPARED = '/* prepared */';
const prepared = raw(PREPARED);

const table = (name: string): Sql => raw(name);
const limit = (count: number): Sql => (count === 1 ? raw('LIMIT 1') : sql`LIMIT ${count}::bigint`);

/** A lateral join. OFFSET 0 keeps the planner from flattening it into a join with the whole table. */
const lateral = (kind: string, name: string, alias: string, where: Sql, end: Sql): Sql =>
  sql`${raw(kind)} JOIN LATERAL (SELECT * FROM ${table(name)} ${raw(alias)} WHERE ${where} ${end})`;
const OFFSET = raw('OFFSET 0');

const TYPES: Readonly<Record<ColumnKind, string>> = {
  key: 'text',
  text: 'text',
  jsonb: 'jsonb',
  int: 'int',
  long: 'bigint',
  time: 'bigint',
  boolean: 'boolean',
};

/** The type of a list of keys. */
export const arrayType = (kind: KeyKind): Sql => raw(kind === 'int' ? 'bigint[]' : 'text[]');

export const columnsWith = (n: Sql, alias: string, columns: readonly string[]): Sql =>
  sql`(${n})::int AS "n", ${raw(columns.map((name) => `${alias}."${name}"`).join(', '))}`;

/**
 * The rows are one JSON parameter.
 * @param key the columns of a unique key: rows whose values exist are skipped
 */
export function insertUnlessThere<Table extends TableName>(
  name: Table,
  rows: readonly Row<Table>[],
  key: readonly (keyof Row<Table>)[],
): Sql {
  const columns = columnNames(name);
  const names = raw(columns.map((column) => `"${column}"`).join(', '));
  const typed = Object.entries<Column>(TABLES[name]).map(([column, { kind }]) => `"${column}" ${TYPES[kind]}`);
  const values = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
  // Without the key, a sequence that lags behind its table would skip new rows.
  const conflict = `ON CONFLICT (${key.map((column) => `"${String(column)}"`).join(', ')}) DO NOTHING`;
  return sql`
    INSERT INTO ${table(name)} (${names}) SELECT ${names}
    FROM json_to_recordset(${JSON.stringify(values)}::json) AS k(${raw(typed.join(', '))})
    ${key.length === 0 ? empty : raw(conflict)}`;
}

/** A value with its type, which the planner sees. */
export const typed = (value: string | number): Sql => sql`${value}::${raw(typeof value === 'number' ? 'int' : 'text')}`;

/** The keys as one array for each column. @param list of a parameter */
export const keysFrom =
  (list: (parameter: Sql) => Sql): Differences['keys'] =>
  (keys, columns) => {
    const names = Object.keys(columns) as (keyof typeof columns)[];
    const arrays = names.map((name) => list(sql`${keys.map((key) => key[name])}::${arrayType(columns[name])}`));
    const ofChat = names.find((name) => columns[name] === 'chat');
    const chats = new Set(ofChat === undefined ? [] : keys.map((key) => key[ofChat]));
    const chat = chats.size === 1 ? sql`${[...chats][0]}::text` : null;
    const taken = names.map((name) => [name, chat !== null && name === ofChat ? chat : raw(`k."${name}"`)]);
    const from = sql`unnest(${join(arrays, ', ')}) WITH ORDINALITY AS k(${raw(names.map((name) => `"${name}"`).join(', '))}, ord)`;
    return { from, n: raw('k.ord - 1'), chat, ...Object.fromEntries(taken) } as KeyTable<keyof typeof columns>;
  };

export const postgresqlDifferences: Differences = {
  table,
  top: () => empty,
  limit,
  part: (count, skipped) => sql`LIMIT ${count} OFFSET ${skipped}`,
  first: limit,
  prepared,
  walk: { begin: sql`${prepared} WITH RECURSIVE`, end: empty },

  hidden: (value) => sql`(SELECT ${typed(value)})`,
  keys: keysFrom((list) => sql`(SELECT ${list})`),
  kept: statementTemplate,
  isOneOf: (column, values) => sql`${column} = ANY (${values}::text[])`,

  join: raw('JOIN'),
  lookUp: (name, alias, on) => sql`${lateral('CROSS', name, alias, on, OFFSET)} ${raw(alias)}`,
  lookUpOrNull: (name, alias, on) => sql`${lateral('LEFT', name, alias, on, OFFSET)} ${raw(alias)} ON true`,
  firstOfEach: (alias, { table: name, where, order, limit: count }) =>
    sql`${lateral('CROSS', name, 's', where, sql`ORDER BY ${order} ${limit(count)}`)} ${raw(alias)}`,
  // Not by a scalar subquery in the next join: PostgreSQL 18 caches that join (Memoize) without the value of the subquery.
  runOf(alias, message, chatId) {
    const isBefore = sql`s."chatId" = ${chatId} AND s."seq" <= ${raw(message)}."seq"`;
    return sql`${lateral('LEFT', 'message_runs', 's', isBefore, raw('ORDER BY s."seq" DESC LIMIT 1'))} ${raw(alias)} ON true`;
  },
  childrenOf: ({ chatId, parentId, start, end }) => sql`
    CROSS JOIN LATERAL (
      SELECT * FROM messages s WHERE s."chatId" = ${chatId} AND s."parentId" = ${parentId}
        AND s."siblingIndex" >= ${start} AND s."siblingIndex" < ${end}
      UNION ALL
      SELECT * FROM messages s WHERE ${parentId} IS NULL AND s."chatId" = ${chatId} AND s."parentId" IS NULL
        AND s."siblingIndex" >= ${start} AND s."siblingIndex" < ${end}
    ) m`,
  // The collation excludes the indexes that begin with the chat: without its statistics, the planner prefers them to the id.
  chatIdBesideId: (alias) => raw(`${alias}."chatId" COLLATE "default"`),

  rowsOf: ({ n = raw('0'), ...columns }) =>
    sql`(${n})::int AS "n", ${join(
      Object.entries(columns).map(([name, value]) => sql`${value} AS ${raw(`"${name}"`)}`),
      ', ',
    )}`,
  // octet_length reads the length from the row, not the TOASTed value.
  messagesOf: (n, inlineBytes) => sql`${columnsWith(n, 'm', MESSAGE_COLUMNS)},
    CASE WHEN octet_length(m."data") <= ${inlineBytes}::int THEN m."data" END AS "data",
    CASE WHEN octet_length(m."data") > ${inlineBytes}::int THEN octet_length(m."data") END AS "dataBytes"`,
  jsonOf: (alias, columns, from = raw(alias)) =>
    sql`(SELECT json_agg(json_build_object(${raw(columns.map((name) => `'${name}', ${alias}."${name}"`).join(', '))}))::text FROM ${from})`,
  payloadMember: (alias, name) => raw(`(${alias}."payload"::json ->> '${name}')`),
  bytes: (column) => sql`octet_length(${column})`,
  isTrue: (column) => column,
  boolean: (value) => raw(String(value)),
  number: (value) => sql`${value}::bigint`,
  metadata: {
    column: raw('c."metadata"::text'),
    value: (json) => sql`${json}::jsonb`,
    // Containment uses the index but accepts supersets: hence the equality. || detoasts a long value once for all
    // operators; OFFSET 0 keeps that.
    has(members) {
      const all = members.map(({ key, equals }) => `${JSON.stringify(key)}:${equals}`);
      const equal = members.map(({ key, equals }) => sql`d."members" -> ${key}::text = ${equals}::jsonb`);
      return [
        sql`c."metadata" @> ${`{${all.join()}}`}::jsonb`,
        sql`EXISTS (
      SELECT 1 FROM (SELECT c."metadata" || '{}'::jsonb AS "members" OFFSET 0) d WHERE ${join(equal, ' AND ')}
    )`,
      ];
    },
    isReadInSteps: false,
  },
  // As in the index.
  hasOutdatedWords: raw('(CASE WHEN c."title" IS DISTINCT FROM c."indexedTitle" THEN 1 END) = 1'),
  idOf: (prefix, seq) => sql`${prefix} || lpad(to_hex(${seq}), 8, '0')`,
  startsWith: (column, prefix) => sql`${column} <= ${prefix + '\u{10FFFF}'.repeat(MAX_NAME_LENGTH)}`,

  insert: (name, rows, unlessThere) => insertUnlessThere(name, rows, unlessThere === undefined ? [] : [unlessThere]),
  lock: { table: empty, statement: sql`FOR NO KEY UPDATE ${prepared}` },
  lockIfFree: { table: empty, statement: raw('FOR NO KEY UPDATE SKIP LOCKED') },
};
