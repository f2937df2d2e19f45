/** Compares the rows of a SQLite file with those of its copy. */
import type { SqliteFile } from '../../../system/sqlite-driver.js';

const COPY = 'copy';

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/**
 * Reads every value of both files.
 * @param source in a transaction that reads the copied snapshot
 * @throws Error that names the first table with another row or number of rows
 */
export function compareCopy(source: SqliteFile, path: string): void {
  source.prepare(`ATTACH ? AS ${COPY}`).run(path);
  const tables = source
    .prepare(`SELECT "name", "wr" FROM pragma_table_list WHERE "schema" = 'main' AND "type" IN ('table', 'shadow')`)
    .all() as { name: string; wr: 0 | 1 }[];
  for (const { name, wr } of tables) {
    const [inSource, inCopy] = ['main', COPY].map((schema) =>
      source
        .prepare(`SELECT count(*) FROM ${schema}.${quoted(name)}`)
        .pluck()
        .get(),
    );
    if (inSource !== inCopy) throw new Error(`${name} has ${String(inCopy)} rows instead of ${String(inSource)}`);
    if (differs(source, name, wr === 1)) throw new Error(`${name} has a row with other values`);
  }
}

function differs(source: SqliteFile, table: string, hasNoRowId: boolean): boolean {
  const columns = source.prepare('SELECT "name", "pk" FROM pragma_table_info(?)').all(table) as {
    name: string;
    pk: number;
  }[];
  const keys = hasNoRowId ? columns.filter(({ pk }) => pk > 0).map(({ name }) => quoted(name)) : ['rowid'];
  const values = (alias: string) => columns.map(({ name }) => `${alias}.${quoted(name)}`).join(', ');
  const isDifferent = source.prepare(`SELECT EXISTS (SELECT 1 FROM main.${quoted(table)} s
    LEFT JOIN ${COPY}.${quoted(table)} c ON ${keys.map((key) => `c.${key} = s.${key}`).join(' AND ')}
    WHERE (${values('s')}) IS NOT (${values('c')}))`);
  return isDifferent.pluck().get() === 1;
}
