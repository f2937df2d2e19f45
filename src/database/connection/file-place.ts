/** The path of a SQLite file, existing or new. */
import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../system/make-folder.js';

/** The smallest page of SQLite. */
const MIN_BYTES = 512;

/** @throws Error when the path cannot be a database, or would lose data */
export function checkPlace(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return;
  if (!file.isFile()) throw new Error('it is not a file');
  // SQLite would overwrite such a file.
  if (file.size > 0 && file.size < MIN_BYTES) throw new Error(`it is not a database: it has ${file.size} bytes`);
  // SQLite derives log and lock names from the file's: under two names, two processes would write without mutual locks.
  if (file.nlink > 1) {
    throw new Error(
      `the file has ${file.nlink} names (hard links), and processes that open it under another one would lose data saved ` +
        'under this one: leave it one name, and use symbolic links for others',
    );
  }
}

/** Creates a missing file that only its owner can read. SQLite gives its log files the same mode. */
export function makeFile(path: string): void {
  makeFolder(dirname(path));
  try {
    // An existing file is not opened: closing it would release the locks of this process on it.
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
