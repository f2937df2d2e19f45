/**
 * Lists as parameters of T-SQL: one JSON text of any length, read with OPENJSON. Its text gets the columns' collation, so
 * that indexes are used, and is cut at 256 characters, one more than the longest key.
 *
 * Babelfish's OPENJSON is more limited:
 * - It returns escapes unresolved (\" for "). Escaped characters are sent as a tilde and their code, ~22, and REPLACE
 *   restores them.
 * - WITH skips nulls and shifts later values. They are sent as '' and as a number for NULLIF.
 * - WITH cuts columns at 4,000 characters. Long texts do not use it.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { MAX_INT } from '../../../conversation/bounds.js';

/** Compares code unit by code unit, as the columns do. */
export const BIN2 = raw('COLLATE Latin1_General_100_BIN2');

/** Checks foreign keys by seeks: other joins may scan and lock rows of other chats. Follows a statement. */
export const LOOP_JOIN = raw('OPTION (LOOP JOIN)');

/** The type of keys, and of other list columns. */
export const KEY = 'NVARCHAR(256)';
const NO_NUMBER = -MAX_INT;
export type Type = typeof KEY | 'NVARCHAR(4000)' | 'INT' | 'BIGINT';

/**
 * A list as a table k: `n`, the index of an entry, and a column per member.
 * @param nullable columns whose values may be null, by default those with a null: the statement is the same with and
 * without nulls
 */
export function list<Columns extends Readonly<Record<string, Type>>>(
  entries: readonly { readonly [Name in keyof Columns]: string | number | null }[],
  columns: Columns,
  nullable: readonly string[] = Object.keys(columns).filter((name) => entries.some((entry) => entry[name] === null)),
): Sql {
  const parts = Object.entries(columns).map(([name, type]) => {
    const { escape, unescape } = escaping();
    const isText = type.startsWith('NVARCHAR');
    const noValue = isText ? '' : NO_NUMBER;
    const values = entries.map((entry) => escape(entry[name] ?? noValue));
    const column = raw(`[${name}]`);
    const value = isText ? sql`CAST(${unescape(column)} AS ${raw(type)}) ${BIN2}` : column;
    const orNull = nullable.includes(name) ? sql`NULLIF(${value}, ${raw(isText ? "N''" : String(NO_NUMBER))})` : value;
    return { name, values, type: isText ? 'NVARCHAR(4000)' : type, taken: sql`${orNull} AS ${column}` };
  });
  const rows = entries.map((_, n) => ({
    n,
    ...Object.fromEntries(parts.map(({ name, values }) => [name, values[n]])),
  }));
  const typed = parts.map(({ name, type }) => `[${name}] ${type} '$.${name}'`);
  return sql`(
      SELECT ${join([raw('[n]'), ...parts.map(({ taken }) => taken)], ', ')}
      FROM OPENJSON(${padded(JSON.stringify(rows))}) WITH (${raw(["[n] INT '$.n'", ...typed].join(', '))})
    ) k`;
}

/** A list of one column as a table k. */
export function column(name: string, values: readonly (string | number)[], type: Type = KEY): Sql {
  return list(
    values.map((value) => ({ [name]: value })),
    { [name]: type },
  );
}

/** Texts of any length as a table: n, text. */
export function longTexts(texts: readonly string[]): Sql {
  const values = escaping();
  const json = padded(JSON.stringify(texts.map((text) => values.escape(text))));
  return sql`(SELECT CAST([key] AS INT) AS [n], ${values.unescape(raw('[value]'))} AS [text] FROM OPENJSON(${json}))`;
}

/** The longest text of a fixed-length type. */
const MAX_LENGTH = 4_000;

/** JSON padded to NVARCHAR(MAX): the driver declares parameters by length, and each declaration gets its own plan. */
function padded(json: string): string {
  return json.padEnd(MAX_LENGTH + 1);
}

/** Characters that JSON escapes, and the tilde that replaces the backslash here. */
const ESCAPED = /["\\~\u0000-\u001f]/g;

/** Frequent characters, which are all restored when a text has one of them: then few forms of a statement exist. */
const FREQUENT = ['\n', '"', '\\', '~'];

/** Escapes the values of a column and records which characters need restoring. */
function escaping() {
  const escaped = new Set<string>();
  const escapeOf = (character: string): string => {
    escaped.add(character);
    return codeOf(character);
  };
  return {
    escape: <V>(value: V) => (typeof value === 'string' ? value.replace(ESCAPED, escapeOf) : value),
    unescape: (text: Sql): Sql => {
      if (escaped.size === 0) return text;
      // By their codes, which puts the tilde last: before that, each tilde begins an escape.
      return [...new Set([...FREQUENT, ...escaped])]
        .sort()
        .reduce(
          (inner, character) => sql`REPLACE(${inner}, ${raw(`N'${codeOf(character)}'`)}, ${character})`,
          sql`${text} ${BIN2}`,
        );
    },
  };
}

function codeOf(character: string): string {
  return `~${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
