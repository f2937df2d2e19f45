/**
 * Lists as parameters of T-SQL. A list travels as one JSON text, however long it is, and OPENJSON takes it apart.
 *
 * The text that comes out of it has the collation of the database, which may take A for a, and in a comparison would hide
 * an index on the column: it gets the collation of the columns. It is cut at 256 characters, one more than any key has:
 * text of MAX length could not be looked up in an index, and a key that is too long finds nothing.
 *
 * Babelfish, which speaks T-SQL for PostgreSQL, has an OPENJSON with less in it, and so this asks less of both:
 * - It hands out escapes as they stand (\" for "). A character that JSON escapes goes as a tilde and its code, ~22, and
 *   REPLACE puts it back: as often as a column has different ones, which is mostly never.
 * - In the columns of WITH it skips nulls, and moves up what comes behind. They go as '' and as a number that NULLIF knows.
 * - It cuts the columns of WITH at 4,000 characters. Long texts do without.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { MAX_INT } from '../../../conversation/bounds.js';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';

/** Compares code unit by code unit, as the columns do. */
export const BIN2 = raw('COLLATE Latin1_General_100_BIN2');

/** What keys are looked up as, and what other columns of a list can be. */
export const KEY = 'NVARCHAR(256)';
const NO_NUMBER = -MAX_INT;
export type Type = typeof KEY | 'NVARCHAR(4000)' | 'INT' | 'BIGINT';

/** A list as a table k: `n`, the index of an entry, and columns named as the entries' members are. */
export function list<Columns extends Readonly<Record<string, Type>>>(
  entries: readonly { readonly [Name in keyof Columns]: string | number | null }[],
  columns: Columns,
): Sql {
  const parts = Object.entries(columns).map(([name, type]) => {
    const { escape, unescape } = escaping();
    const isText = type.startsWith('NVARCHAR');
    const noValue = isText ? '' : NO_NUMBER;
    const values = entries.map((entry) => escape(entry[name] ?? noValue));
    const column = raw(`[${name}]`);
    const value = isText ? sql`CAST(${unescape(column)} AS ${raw(type)}) ${BIN2}` : column;
    const hasNulls = entries.some((entry) => entry[name] === null);
    const orNull = hasNulls ? sql`NULLIF(${value}, ${raw(isText ? "N''" : String(NO_NUMBER))})` : value;
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

/** Ids as a table k: n, id. */
export function ids(keys: readonly string[]): Sql {
  return list(
    keys.map((id) => ({ id })),
    { id: KEY },
  );
}

/** Ids with their chats as a table k: n, chatId, id. */
export const scoped = (keys: readonly ChatScoped[]): Sql => list(keys, { chatId: KEY, id: KEY });

/** Texts of any length as a table: n, text. */
export function longTexts(texts: readonly string[]): Sql {
  const values = escaping();
  const json = padded(JSON.stringify(texts.map((text) => values.escape(text))));
  return sql`(SELECT CAST([key] AS INT) AS [n], ${values.unescape(raw('[value]'))} AS [text] FROM OPENJSON(${json}))`;
}

/** What text of a fixed length can be at most. */
const MAX_LENGTH = 4_000;

/**
 * JSON that is longer than text of a fixed length, by spaces at its end. The driver declares a text with its length, and a
 * statement with another declaration gets a plan of its own: so all lists are NVARCHAR(MAX).
 */
function padded(json: string): string {
  return json.padEnd(MAX_LENGTH + 1);
}

/** What JSON escapes, and the character that does so here. */
const ESCAPED = /["\\~\u0000-\u001f]/g;

/** Escapes the values of a column, and knows then which characters are to be put back. */
function escaping() {
  const escapes = new Map<string, string>();
  const escapeOf = (character: string): string => {
    const known = escapes.get(character);
    if (known !== undefined) return known;
    const escaped = `~${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
    escapes.set(character, escaped);
    return escaped;
  };
  return {
    escape: <V>(value: V) => (typeof value === 'string' ? value.replace(ESCAPED, escapeOf) : value),
    unescape: (text: Sql): Sql => {
      if (escapes.size === 0) return text;
      // The tilde last: until then each one begins an escape.
      const tildeLast = [...escapes].sort(([one], [other]) => Number(one === '~') - Number(other === '~'));
      return tildeLast.reduce(
        (inner, [character, escaped]) => sql`REPLACE(${inner}, ${raw(`N'${escaped}'`)}, ${character})`,
        sql`${text} ${BIN2}`,
      );
    },
  };
}
