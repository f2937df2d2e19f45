/** Detects a SQLite database by its first bytes. */
import { open } from 'node:fs/promises';

const HEADER = Buffer.from('SQLite format 3\0', 'latin1');

/** @param start at least the first four bytes */
export function beginsSqlite(start: Buffer): boolean {
  return start.length >= 4 && HEADER.subarray(0, start.length).equals(start.subarray(0, HEADER.length));
}

/** False for unreadable files, too: the next read reports the error. */
export async function isSqliteFile(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return false;
  try {
    if (!(await file.stat()).isFile()) return false;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    return bytesRead === HEADER.length && beginsSqlite(buffer);
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

/** The error for a database in a place that cannot be read as one. */
export const NO_DATABASE_HERE = 'is a SQLite database, which npm run import takes as a file of its own';
