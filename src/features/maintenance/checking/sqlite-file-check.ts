/**
 * Checks the pages of a SQLite file: its B-trees, its indexes and the references between rows. Statements succeed on a
 * damaged file until they reach a damaged page.
 */
import { openSqlite, type SqliteFile } from '../../../system/sqlite-driver.js';
import { isDamage } from '../../../database/drivers/sqlite-guard.js';
import type { CheckReport } from './check-report.js';

/** The place of damage outside all tables, such as an unreadable schema. */
const WHOLE_FILE = 'the file';

/**
 * Reads the whole file, and blocks this thread meanwhile.
 * @param report an empty one, which receives a finding for each damaged table, and for each row that references a missing one
 * @returns whether all pages are sound, so that rows can be read
 * @throws Error when the file is locked or cannot be opened
 */
export function checkSqliteFile(path: string, report: CheckReport): boolean {
  let database: SqliteFile | undefined;
  try {
    database = openSqlite(path, { readonly: true, fileMustExist: true });
    checkPages(database, report);
    if (!report.isSound) return false;
    checkReferences(database, report);
    return true;
  } catch (error) {
    if (!isDamage(error)) throw error;
    addDamage(report, WHOLE_FILE, (error as Error).message);
    return false;
  } finally {
    database?.close();
  }
}

function checkPages(database: SqliteFile, report: CheckReport): void {
  const damage = damageOf(database);
  if (damage === null) return;
  const tables = database.prepare(`SELECT "name" FROM sqlite_schema WHERE "type" = 'table'`).pluck().all() as string[];
  for (const table of tables) {
    const ofTable = damageOf(database, table);
    if (ofTable !== null) addDamage(report, table, ofTable);
  }
  if (report.isSound) addDamage(report, WHOLE_FILE, damage);
}

/** @returns null when all pages, or those of the table and its indexes, are sound */
function damageOf(database: SqliteFile, table?: string): string | null {
  const limit = table === undefined ? '1' : `"${table.replaceAll('"', '""')}"`;
  try {
    const result = String(database.pragma(`integrity_check(${limit})`, { simple: true }));
    // The first line of a damaged page names the database.
    return result === 'ok' ? null : (result.split('\n').find((line) => !line.startsWith('***')) ?? result);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return (error as Error).message;
  }
}

function checkReferences(database: SqliteFile, report: CheckReport): void {
  const rows = database.prepare('PRAGMA foreign_key_check').iterate() as IterableIterator<Reference>;
  for (const { table, rowid, parent } of rows) {
    const row = rowid === null ? {} : { rowid };
    report.add({ table, row, problem: `it references a row of ${parent} that is missing` });
  }
}

interface Reference {
  table: string;
  /** Null in a table without row ids. */
  rowid: number | null;
  parent: string;
}

function addDamage(report: CheckReport, table: string, reason: string): void {
  report.add({ table, row: {}, problem: `its pages are damaged: ${reason}` });
}
