/** Lists of messages as JSON on SQLite: `format` is twice as fast as the JSON functions. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { SegmentColumn } from '../../../conversation/outline.js';
import type { FileColumn, JsonColumn, JsonMember } from '../../../conversation/json-lists.js';
import { columnNames, TABLES, type ColumnKind } from '../../../conversation/tables.js';
import type { JsonStatements } from '../dialect.js';
import { statementTemplate } from '../statement-template.js';
import { fragmentsOf } from '../base/fragments.js';
import { sqliteDifferences } from './differences.js';

/** Two short functions and a number are faster than strftime with %f. */
const timeOf = (column: string) =>
  `date(${column} / 1000, 'unixepoch'), time(${column} / 1000, 'unixepoch'), ${column} % 1000`;
const TIME = '"%sT%s.%03dZ"';
const PLACES = { createdAt: TIME, firstCreatedAt: TIME, lastCreatedAt: TIME, sourceIds: '[%s]' };
/** Ids are hex, and the path requires ids of messages without special characters. */
const FILE_PLACES = { id: '"%s/%d"', url: '"/files/%s?message=%s"', contentId: '"%s"' };

/** The SQL of columns that need conversion to JSON. */
const JSON_EXPRESSIONS: Readonly<Record<ColumnKind, (column: string) => string>> = {
  key: (column) => `json_quote(${column})`,
  text: (column) => column,
  jsonb: (column) => column,
  int: (column) => column,
  long: (column) => column,
  time: timeOf,
  boolean: (column) => `iif(${column}, 'true', 'false')`,
};

function valueOf(name: JsonColumn, alias = 'm'): string {
  const { kind, isNullable } = TABLES.messages[name];
  const value = JSON_EXPRESSIONS[kind](`${alias}."${name}"`);
  return isNullable ? `ifnull(${value}, 'null')` : value;
}

const VALUES = Object.fromEntries(columnNames('messages').map((name) => [name, valueOf(name)])) as Record<
  JsonColumn,
  string
>;

const SOURCE_IDS = `ifnull((SELECT group_concat(json_quote(s."id") ORDER BY x."position")
  FROM message_sources x CROSS JOIN messages s ON s."chatId" = x."chatId" AND s."seq" = x."sourceSeq"
  WHERE x."chatId" = m."chatId" AND x."seq" = m."seq"), '')`;

/** Segments from messages m to messages l. */
const SEGMENT_VALUES: Record<SegmentColumn, string> = {
  firstId: VALUES.id,
  lastId: valueOf('id', 'l'),
  parentId: VALUES.parentId,
  length: 'l."depth" - m."depth" + 1',
  depth: VALUES.depth,
  firstName: VALUES.name,
  lastName: valueOf('name', 'l'),
  firstPreview: VALUES.preview,
  lastPreview: valueOf('preview', 'l'),
  firstCreatedAt: VALUES.createdAt,
  lastCreatedAt: valueOf('createdAt', 'l'),
  sourceIds: SOURCE_IDS,
};

/** Ids without characters that URLs escape. */
const IS_PLAIN_ID = raw(`m."id" NOT GLOB '*[^A-Za-z0-9_.~-]*'`);
/** The JSON of values, at most: names and ids have 255 characters, of which JSON may escape each with six. */
const MAX_FILE_VALUE_BYTES: Record<FileColumn, number> = {
  ...{ id: 270, name: 1_600, position: 10, url: 400 },
  ...{ contentId: 66, mediaType: 260, size: 20 },
};

/** Files f with references r of messages m. */
const FILE_VALUES: Record<FileColumn, string> = {
  id: 'm."id", r."position"',
  name: `ifnull(json_quote(r."name"), 'null')`,
  position: 'r."position"',
  contentId: 'r."fileId"',
  mediaType: 'json_quote(f."mediaType")',
  size: 'f."size"',
  url: 'r."fileId", m."id"',
};

/** Bytes of the JSON of one file in all selected lists of files, at most. */
function maxFileBytes({ columns }: JsonTemplate): number {
  const bytesOf = (members: readonly JsonMember<FileColumn>[]): number =>
    members.reduce((sum, { key, value }) => sum + key.length + 6 + valueBytes(value), 0);
  const valueBytes = (value: JsonMember<FileColumn>['value']) => {
    if ('object' in value) return bytesOf(value.object);
    return 'column' in value ? MAX_FILE_VALUE_BYTES[value.column] : JSON.stringify(value).length;
  };
  return columns.reduce((sum, column) => sum + (typeof column === 'object' ? bytesOf(column) : 0), 0);
}

function filesOf(members: readonly JsonMember<FileColumn>[]): Sql {
  return sql`ifnull((SELECT group_concat(${objectOf(jsonTemplate(members, FILE_PLACES), FILE_VALUES)}) FROM
    (SELECT "fileId", "name", "position" FROM message_files WHERE "messageId" = m."id" ORDER BY "position") r
    CROSS JOIN files f ON f."id" = r."fileId"), '')`;
}

const PARENT_STEP = fragmentsOf(sqliteDifferences).parentStep(null);

export const jsonLists: JsonStatements = {
  answers: 'json',
  // The walk stops at the limit, so that no oversized list is built.
  path({ chatId, messageId, length }, members, maxBytes) {
    const { path, bytesPerFile } = messageObject(members);
    const tooManyFiles = bytesPerFile === 0 ? 0 : Math.floor(maxBytes / bytesPerFile) + 1;
    return path(chatId, messageId, length, maxBytes, tooManyFiles);
  },

  graph(chatId, members) {
    const { object, times } = messageObject(members);
    return listOf(object, sql`(SELECT * FROM messages WHERE "chatId" = ${chatId} ORDER BY "seq") m`, times);
  },

  segments({ chatId, spans }, members) {
    const template = jsonTemplate(members, PLACES);
    const times = [
      ...(template.columns.includes('firstCreatedAt') ? [areUsual('m')] : []),
      ...(template.columns.includes('lastCreatedAt') ? [areUsual('l')] : []),
    ];
    // An object from first to last is in the order of its numbers, and faster to read than pairs.
    const lastSeqs = Object.fromEntries(spans.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq]));
    const hasSources = spans.some(({ sourceSeqs }) => sourceSeqs !== undefined);
    return listOf(
      objectOf(template, hasSources ? SEGMENT_VALUES : { ...SEGMENT_VALUES, sourceIds: `''` }),
      sql`json_each(${JSON.stringify(lastSeqs)}) k
        CROSS JOIN messages m ON m."chatId" = ${chatId} AND m."seq" = k.key
        CROSS JOIN messages l ON l."chatId" = ${chatId} AND l."seq" = k.value`,
      join([raw('true'), ...times], ' AND '),
    );
  },
};

function pathTemplate({ object, hasData, times }: Omit<MessageObject, 'path'>, hasFiles: boolean) {
  const bytesOf = (alias: string) => raw(hasData ? `octet_length(${alias}."data")` : '0');
  const ids = hasFiles ? sql`total(NOT (${IS_PLAIN_ID})) = 0` : raw('true');
  return statementTemplate(
    (chatId: string, messageId: string, length: number, maxBytes: number, tooManyFiles: number) => {
      // Counting the files of the chat reads one range of an index; those of each message would need a search each.
      const files = hasFiles
        ? sql`(SELECT count(*) FROM (SELECT 1 FROM message_files WHERE "chatId" = ${chatId} LIMIT ${tooManyFiles})) < ${tooManyFiles}`
        : raw('true');
      return sql`
    WITH RECURSIVE w(row, "chatId", "parentId", "depth", n, bytes) AS (
      SELECT m.rowid, m."chatId", m."parentId", m."depth", 1, ${bytesOf('m')}
      FROM messages m WHERE m."id" = ${messageId} AND +m."chatId" = ${chatId} AND ${length} > 0 AND ${files}
      UNION ALL
      SELECT p.rowid, w."chatId", p."parentId", p."depth", w.n + 1, w.bytes + ${bytesOf('p')}
      ${PARENT_STEP} WHERE w.n < ${length} AND w.bytes <= ${maxBytes}
    )
    ${listOf(
      object,
      sql`(SELECT row, bytes FROM w ORDER BY n DESC) w CROSS JOIN messages m ON m.rowid = w.row`,
      sql`count(*) = ${length} AND max(w.bytes) <= ${maxBytes} AND ${times} AND ${ids}`,
    )}`;
    },
  );
}

/** A message m as JSON, made once for the members that a document selects. */
function messageObject(members: readonly JsonMember[]): MessageObject {
  let made = objects.get(members);
  if (made === undefined) {
    const template = jsonTemplate(members, PLACES);
    const object = {
      object: objectOf(template, VALUES),
      bytesPerFile: maxFileBytes(template),
      hasData: template.columns.includes('data'),
      times: template.columns.includes('createdAt') ? areUsual('m') : raw('true'),
    };
    made = { ...object, path: pathTemplate(object, object.bytesPerFile > 0) };
    objects.set(members, made);
  }
  return made;
}

interface MessageObject {
  object: Sql;
  /** At most; 0 without files. */
  bytesPerFile: number;
  hasData: boolean;
  /** The condition that times can be written. */
  times: Sql;
  path: ReturnType<typeof pathTemplate>;
}

const objects = new WeakMap<readonly JsonMember[], MessageObject>();

function objectOf<Column extends string>(
  { format, columns }: JsonTemplate<Column>,
  values: Readonly<Record<Column, string>>,
): Sql {
  return sql`format(${join([format, ...columns.map((column) => (typeof column === 'string' ? raw(values[column]) : filesOf(column)))])})`;
}

/** The condition that all years have at most four digits. */
const areUsual = (alias: string): Sql => sql`total(${raw(alias)}."createdAt" NOT BETWEEN 0 AND ${LAST_TIME_MS}) = 0`;

/** A BLOB, which the driver returns without conversion; null for an empty list. */
function listOf(object: Sql, rows: Sql, isWritable: Sql): Sql {
  return sql`SELECT CASE WHEN count(*) > 0 AND ${isWritable} THEN CAST(group_concat(${object}) AS BLOB) END AS json
    FROM ${rows}`;
}

interface JsonTemplate<Column = JsonColumn> {
  /** For the database's function `format`. */
  format: string;
  /** The columns of the placeholders; for files their members. */
  columns: (Column | readonly JsonMember<FileColumn>[])[];
}

/** The last millisecond of the year 9999. */
const LAST_TIME_MS = 253_402_300_799_999;

/** @param places SQL for columns whose placeholder is not %s */
function jsonTemplate<Column extends string>(
  members: readonly JsonMember<Column>[],
  places: Partial<Record<Column, string>> = {},
): JsonTemplate<Column> {
  const columns = members.flatMap(({ value }): JsonTemplate<Column>['columns'] => {
    if ('column' in value) return [value.column];
    if ('object' in value) return jsonTemplate(value.object, places).columns;
    return 'files' in value ? [value.files] : [];
  });
  const place = (value: JsonMember<Column>['value']) => {
    if ('text' in value) return literal(value.text);
    if ('object' in value) return jsonTemplate(value.object, places).format;
    return 'column' in value ? (places[value.column] ?? '%s') : '[%s]';
  };
  const parts = members.map(({ key, value }) => `"${key}":${place(value)}`);
  return {
    format: `{${parts.join(',')}}`,
    columns,
  };
}

function literal(text: string): string {
  return JSON.stringify(text).replaceAll('%', '%%');
}
