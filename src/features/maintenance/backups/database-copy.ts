/** Copies a database into a backup and back, while servers change it. */
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import sql from 'sql-template-tag';
import {
  IN_MEMORY,
  parseDatabaseUrl,
  type DatabaseUrl,
  type SqliteUrl,
} from '../../../database/connection/database-url.js';
import { CheckReport } from '../checking/check-report.js';
import { checkSqliteFile } from '../checking/sqlite-file-check.js';
import { isDamage } from '../../../database/drivers/sqlite-guard.js';
import { connect } from '../../../database/opening/open.js';
import { messageOf } from '../../../system/message-of.js';
import { openSqlite, type SqliteFile } from '../../../system/sqlite-driver.js';
import type { UpdateProgress } from '../../../command/progress-bar.js';
import { restoreDump, writeDump } from './postgresql-programs.js';

export const DATABASE_FILE = { sqlite: 'parley.db', postgresql: 'parley.dump' } as const;

/** Pages of a step of SQLite's backup, between which the process can stop. */
const PAGES_PER_STEP = 4_096;

/** @throws Error for a database that this command cannot copy, with the tool for it */
export function backupProvider({ provider }: DatabaseUrl): 'sqlite' | 'postgresql' {
  if (provider !== 'sqlserver') return provider;
  throw new Error(
    'SQL Server has its own backups: use BACKUP DATABASE and RESTORE DATABASE, and copy the folder or bucket of FILES_URL',
  );
}

/**
 * Copies the database, and reads the whole copy.
 * @returns the name of the file in the backup
 * @throws Error that names the damaged tables
 */
export async function copyIntoBackup(url: DatabaseUrl, folder: string, update: UpdateProgress): Promise<string> {
  const name = DATABASE_FILE[backupProvider(url)];
  const path = join(folder, name);
  if (url.provider === 'sqlite') await backUpSqlite(url, path, update);
  else {
    // The whole database, unless it has several schemas: with the option pg_restore would create `public` again.
    const schema = url.schema === 'public' ? [] : [`--schema=${url.schema}`];
    await writeDump(url, path, schema);
  }
  await chmod(path, 0o600);
  return name;
}

/** SQLite's online backup. In a transaction it reads one snapshot; otherwise each commit of a server would restart it. */
async function backUpSqlite({ path: source, shown }: SqliteUrl, path: string, update: UpdateProgress): Promise<void> {
  const report = new CheckReport();
  const database = openSqlite(source, { readonly: true, fileMustExist: true });
  try {
    database.exec('BEGIN');
    database.prepare('SELECT count(*) FROM sqlite_master').get();
    await database.backup(path, {
      progress: ({ totalPages, remainingPages }) => {
        update(totalPages - remainingPages, totalPages);
        return PAGES_PER_STEP;
      },
    });
    checkSqliteFile(path, report);
    if (report.isSound) compareCopy(database, path);
  } catch (error) {
    if (isDamage(error)) checkSqliteFile(source, report);
    if (report.isSound) throw new Error(`Cannot back up ${shown}: ${messageOf(error)}`, { cause: error });
  } finally {
    database.close();
    for (const end of ['-wal', '-shm']) await rm(path + end, { force: true });
  }
  if (report.isSound) return;
  throw new Error(`${shown} is damaged, and no backup was written:\n${report.problems().join('\n')}`);
}

/** @throws Error unless the database is missing or has no tables */
export async function requireEmptyDatabase(databaseUrl: string): Promise<void> {
  const url = parseDatabaseUrl(databaseUrl);
  if (url.provider === 'sqlite') {
    if (databaseUrl === IN_MEMORY) throw new Error(`Cannot restore into ${IN_MEMORY}: it ends with this process`);
    const found = ['', '-wal', '-shm'].map((end) => url.path + end).find((path) => existsSync(path));
    if (found !== undefined) throw new Error(`${found} exists: restore into a file that does not exist`);
    return;
  }
  const { connection } = await connect(databaseUrl, { migrate: false, isChecked: true, isReadOnly: true });
  try {
    const tables = await connection.read((db) =>
      db.rows(
        sql`SELECT table_name AS "name" FROM information_schema.tables WHERE table_schema = ${url.schema} LIMIT 1`,
      ),
    );
    if (tables.length > 0) {
      throw new Error(`${url.shown} has tables in the schema ${url.schema}: restore into an empty database`);
    }
  } finally {
    await connection.close();
  }
}

/**
 * @param path the file of the backup
 * @param report receives the damage of a SQLite file
 */
export async function copyFromBackup(url: DatabaseUrl, path: string, report: CheckReport): Promise<void> {
  if (url.provider === 'sqlite') {
    await pipeline(createReadStream(path), createWriteStream(url.path, { flags: 'wx', mode: 0o600, flush: true }));
    checkSqliteFile(url.path, report);
    return;
  }
  await restoreDump(url, path);
}

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
