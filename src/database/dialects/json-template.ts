/** Templates of the objects in JSON lists: the constant text, with a placeholder for each value of a row. */
import type { FileColumn, JsonColumn, JsonMember } from '../../conversation/json-lists.js';

export interface JsonTemplate<Column = JsonColumn> {
  /** For the database's function `format`. */
  format: string;
  /** The columns of the placeholders; for files their members. */
  columns: (Column | readonly JsonMember<FileColumn>[])[];
}

/** The last millisecond of the year 9999. */
export const LAST_TIME_MS = 253_402_300_799_999;

/** @param places SQL for columns whose placeholder is not %s */
export function jsonTemplate<Column extends string>(
  members: readonly JsonMember<Column>[],
  places: Partial<Record<Column, string>> = {},
): JsonTemplate<Column> {
  const columns = members.flatMap(({ value }): JsonTemplate<Column>['columns'] => {
    if ('column' in value) return [value.column];
    return 'files' in value ? [value.files] : [];
  });
  const place = (value: JsonMember<Column>['value']) => {
    if ('text' in value) return literal(value.text);
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
