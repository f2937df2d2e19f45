/** SQLite files of `@deepagents/context`. */
import Database from 'better-sqlite3';
import { temporaryFile } from '../../../support/temporary-folder.js';
import { insertions, SQLITE_TABLES, type Content } from './original-fixture.js';

/** @param named rewrites each statement */
export function write(path: string, content: Partial<Content>, named = (statement: string) => statement): void {
  const db = new Database(path);
  // It accepts references to other chats, and older versions had no checks.
  db.pragma('foreign_keys = OFF');
  for (const { text, values } of insertions(content)) {
    db.prepare(named(text)).run(values.map((value) => (typeof value === 'boolean' ? Number(value) : value)));
  }
  db.close();
}

/** @returns the path of a new file */
export function original(content: Partial<Content>): string {
  const path = temporaryFile();
  new Database(path).exec(SQLITE_TABLES).close();
  write(path, content);
  return path;
}
