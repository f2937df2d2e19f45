/**
 * The differences of SQL Server.
 *
 * - A recursive part may not contain TOP, DISTINCT, aggregates or outer joins, and is joined by UNION ALL.
 * - A walk takes 100 steps unless MAXRECURSION is 0.
 * - Lists are JSON (lists.ts). Results are rows, since its JSON has no arrays of values.
 * - Columns are named explicitly: `*` loses capitals on Babelfish.
 * - Comparisons ignore trailing spaces. Ids and names have none; other compared text gets a full stop.
 */
import sql, { empty, join as joined, raw, type Sql } from 'sql-template-tag';
import type { ChatFilter } from '../../../conversation/reads.js';
import { TABLES, type Column, type ColumnKind, type Row, type TableName } from '../../../conversation/tables.js';
import { MESSAGE_COLUMNS } from '../row-format.js';
import { columnsOf, namesOf } from '../base/fragments.js';
import type { Differences, KeyTable } from '../differences.js';
import { BIN2, column as columnOf, KEY, list, longTexts, LOOP_JOIN, type Type } from './lists.js';

/** Column types of a list by kind; longer texts are sent separately. */
const TYPES: Readonly<Partial<Record<ColumnKind, Type>>> = {
  key: KEY,
  int: 'INT',
  long: 'BIGINT',
  time: 'BIGINT',
  boolean: 'INT',
};

/** OPENJSON's type numbers. */
const JSON_TYPES = { null: 0, string: 1, number: 2, boolean: 3, array: 4, object: 5 };

/** @param schema of letters, digits and _ */
export function sqlserverDifferences(schema: string): Differences {
  const table = (name: string): Sql => raw(`"${schema}"."${name}"`);
  const lookUp = (name: string, alias: string, on: Sql): Sql => sql`JOIN ${table(name)} ${raw(alias)} ON ${on}`;

  return {
    table,
    top: (count) => (count === 1 ? raw('TOP (1)') : sql`TOP (${count})`),
    limit: () => empty,
    part: (count, skipped) => sql`OFFSET ${skipped} ROWS FETCH NEXT ${count} ROWS ONLY`,
    first: (count) => sql`OFFSET 0 ROWS FETCH NEXT ${count} ROWS ONLY`,
    prepared: empty,
    walk: { begin: raw('WITH'), end: raw('OPTION (MAXRECURSION 0)') },

    keys(keys, columns) {
      const names = Object.keys(columns) as (keyof typeof columns)[];
      const types = Object.fromEntries(
        names.map((name): [string, Type] => [name, columns[name] === 'int' ? 'INT' : KEY]),
      );
      const taken = names.map((name) => [name, raw(`k."${name}"`)]);
      const from = list(keys as readonly Record<string, string | number | null>[], types);
      return { from, n: raw('k."n"'), chat: null, ...Object.fromEntries(taken) } as KeyTable<keyof typeof columns>;
    },
    hidden: (value) => sql`${value}`,
    // Lists are written in a form that depends on the characters of their texts.
    kept: (make) => make,
    isOneOf: (column, values) => sql`${column} IN (SELECT k."id" FROM ${columnOf('id', values)})`,

    join: raw('JOIN'),
    lookUp,
    lookUpOrNull: (name, alias, on) => sql`LEFT ${lookUp(name, alias, on)}`,
    firstOfEach: (alias, { table: name, where, order, limit }) => sql`
    CROSS APPLY (
      SELECT TOP (${limit === 1 ? raw('1') : limit}) ${columnsOf('s', namesOf(name))} FROM ${table(name)} s
      WHERE ${where} ORDER BY ${order}
    ) ${raw(alias)}`,
    runOf: (alias, message, chatId) => sql`
    OUTER APPLY (
      SELECT TOP (1) s."seq" FROM ${table('message_runs')} s
      WHERE s."chatId" = ${chatId} AND s."seq" <= ${raw(message)}."seq" ORDER BY s."seq" DESC
    ) ${raw(alias)}`,
    childrenOf({ chatId, parentId, start, end }) {
      const siblings = sql`SELECT ${columnsOf('s', namesOf('messages'))} FROM ${table('messages')} s WHERE s."chatId" = ${chatId}
        AND s."siblingIndex" >= ${start} AND s."siblingIndex" < ${end}`;
      return sql`
    CROSS APPLY (
      ${siblings} AND s."parentId" = ${parentId}
      UNION ALL
      ${siblings} AND s."parentId" IS NULL AND ${parentId} IS NULL
    ) m`;
    },
    chatIdBesideId: (alias) => raw(`${alias}."chatId"`),

    rowsOf: (columns) => joined(Object.entries(columns).map(([name, value]) => sql`${value} AS ${raw(`"${name}"`)}`)),
    // DATALENGTH returns two bytes per code unit, without reading the value.
    messagesOf: (n, inlineBytes) => sql`${n} AS "n", ${columnsOf('m', MESSAGE_COLUMNS)},
      CASE WHEN DATALENGTH(m."data") / 2 <= ${inlineBytes} THEN m."data" END AS "data",
      CASE WHEN DATALENGTH(m."data") / 2 > ${inlineBytes} THEN DATALENGTH(m."data") / 2 END AS "dataBytes"`,
    jsonOf: (alias, columns, from = raw(alias)) =>
      sql`(SELECT ${raw(columns.map((name) => `${alias}."${name}" AS "${name}"`).join(', '))} FROM ${from} FOR JSON PATH)`,
    payloadMember: (alias, name) => sql`JSON_VALUE(${raw(`${alias}."payload", '$.${name}'`)}) ${BIN2}`,
    bytes: (column) => sql`DATALENGTH(${column})`,
    isTrue: (column) => sql`${column} = 1`,
    boolean: (value) => raw(value ? '1' : '0'),
    number: (value) => sql`${value}`,
    metadata: { column: raw('c."metadata"'), value: (json) => sql`${json}`, has: hasMembers, isReadInSteps: false },
    // A computed column.
    hasOutdatedWords: raw('c."hasOutdatedWords" = 1'),
    idOf: (prefix, seq) => sql`${prefix} + LOWER(CONVERT(VARCHAR(8), CONVERT(BINARY(4), ${seq}), 2))`,
    // No upper end: the last text depends on the collation.
    startsWith: (column, prefix) => sql`CHARINDEX(${prefix}, ${column}) = 1`,

    insert<Table extends TableName>(name: Table, rows: readonly Row<Table>[], unlessThere?: keyof Row<Table>): Sql {
      const listed: Record<string, Type> = {};
      const texts: Sql[] = [];
      const selected = Object.entries<Column>(TABLES[name]).map(([column, { kind, isNullable }]) => {
        const type = TYPES[kind];
        if (type !== undefined) {
          listed[column] = type;
          return kind === 'boolean' ? `CAST(k."${column}" AS BIT)` : `k."${column}"`;
        }
        const alias = `d${texts.length}`;
        // OPENJSON of Babelfish skips nulls. Texts of these columns are never empty.
        const values = rows.map((row) => (row[column as keyof Row<Table>] as string | null) ?? '');
        // The server expects few rows and would read the texts again for each row.
        texts.push(sql`INNER HASH JOIN ${longTexts(values)} ${raw(`${alias} ON ${alias}."n" = k."n"`)}`);
        return isNullable ? `NULLIF(${alias}."text", N'')` : `${alias}."text"`;
      });
      const values = rows.map((row) =>
        Object.fromEntries(Object.keys(listed).map((column) => [column, listedValue(row[column as keyof Row<Table>])])),
      );
      const nullable = Object.entries<Column>(TABLES[name]).flatMap(([column, { isNullable }]) =>
        isNullable && column in listed ? [column] : [],
      );
      const unique = raw(`"${String(unlessThere)}"`);
      const condition =
        unlessThere === undefined
          ? empty
          : sql`WHERE NOT EXISTS (SELECT 1 FROM ${table(name)} t WHERE t.${unique} = k.${unique}) ORDER BY k."n"`;
      return sql`
    INSERT INTO ${table(name)} (${raw(
      namesOf(name)
        .map((column) => `"${column}"`)
        .join(', '),
    )})
    SELECT ${raw(selected.join(', '))}
    FROM ${list(values, listed, nullable)} ${texts.length === 0 ? empty : joined(texts, ' ')} ${condition}
    ${texts.length === 0 ? LOOP_JOIN : empty}`;
    },
    lock: { table: raw('WITH (UPDLOCK, ROWLOCK)'), statement: empty },
    lockIfFree: { table: raw('WITH (UPDLOCK, ROWLOCK, READPAST)'), statement: empty },
  };
}

function listedValue(value: unknown): string | number | null {
  return typeof value === 'boolean' ? Number(value) : (value as string | number | null);
}

/**
 * OPENJSON parses the metadata once for all conditions; values nested too deep have no members. The full stop preserves
 * trailing spaces.
 */
function hasMembers(metadata: ChatFilter['metadata']): Sql[] {
  const members = metadata.map(({ key, equals }) => {
    // OPENJSON truncates longer keys.
    const name = `${key.slice(0, 4000)}.`;
    const isMember = sql`CAST(e."key" AS NVARCHAR(MAX)) ${BIN2} + N'.' = ${name} AND ${hasValue(equals)}`;
    return sql`SUM(CASE WHEN ${isMember} THEN 1 ELSE 0 END) > 0`;
  });
  return [
    sql`EXISTS (
      SELECT 1 FROM OPENJSON(CASE WHEN ISJSON(c."metadata") = 1 THEN c."metadata" END) e HAVING ${joined(members, ' AND ')}
    )`,
  ];
}

/** Whether a member e of OPENJSON equals this canonical JSON value: strings are decoded, other values are raw. */
function hasValue(canonical: string): Sql {
  const value: unknown = JSON.parse(canonical);
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : (typeof value as keyof typeof JSON_TYPES);
  const isOfType = sql`e."type" = ${raw(String(JSON_TYPES[type]))}`;
  if (value === null) return isOfType;
  const text = typeof value === 'string' ? value : canonical;
  return sql`${isOfType} AND e."value" ${BIN2} + N'.' = ${`${text}.`}`;
}
