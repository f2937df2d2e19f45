/**
 * Temporary folders of imports. Each holds a lock that ends with its process, so that a server deletes the folders of
 * processes that were killed, and no others.
 */
import { existsSync, type Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTemporaryFoldersWith, temporaryFolderIn, type TemporaryFolder } from '@parley/interchange/server';
import { openSqlite, type SqliteFile } from '../sqlite-driver.js';

const PREFIX = 'parley-import-';
/** A SQLite file, because Node has no locks of its own that the system releases when a process is killed. */
const LOCK_FILE = 'lock';
/** A folder without a lock file is younger than its lock, or from a version without locks. */
const UNLOCKED_AGE_MS = 24 * 60 * 60_000;

/** Locks the temporary folders that this process creates. */
export function lockTemporaryFolders(): void {
  createTemporaryFoldersWith(createLockedFolder);
}

/** Creates the temporary folders of this process in a folder that another process has locked and deletes. */
export function createTemporaryFoldersIn(folder: string): void {
  createTemporaryFoldersWith(() => temporaryFolderIn(folder, PREFIX));
}

/** @throws Error with the code of the file system or of SQLite where nothing can be written: see temporarySpaceFault */
export function createLockedFolder(): TemporaryFolder {
  const { path, remove } = temporaryFolderIn(tmpdir(), PREFIX);
  try {
    const lock = lockFile(path);
    const unlockAndRemove = () => {
      lock.close();
      remove();
    };
    return { path, remove: unlockAndRemove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Deletes the folders of this user whose process has ended. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (name.startsWith(PREFIX)) await removeIfAbandoned(join(tmpdir(), name));
  }
}

async function removeIfAbandoned(path: string): Promise<void> {
  let lock: SqliteFile | null = null;
  try {
    const stats = await lstat(path);
    if (!isOwn(stats)) return;
    if (existsSync(join(path, LOCK_FILE))) lock = lockFile(path);
    else if (stats.mtimeMs > Date.now() - UNLOCKED_AGE_MS) return;
    await rm(path, { recursive: true, force: true });
  } catch {
    // Its process lives, or another server has deleted it.
  } finally {
    lock?.close();
  }
}

/** A link could lead to files of others. */
function isOwn(stats: Stats): boolean {
  return stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
}

/** @throws Error with the code SQLITE_BUSY when another process, or this one, holds the lock */
function lockFile(folder: string): SqliteFile {
  const database = openSqlite(join(folder, LOCK_FILE), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
