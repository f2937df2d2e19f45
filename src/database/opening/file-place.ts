/** The path of a SQLite file, existing or new. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** @throws Error when the path cannot be a database, or would lose data */
export function checkPlace(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return;
  if (!file.isFile()) throw new Error('it is not a file');
  // SQLite derives log and lock names from the file's: under two names, two processes would write without mutual locks.
  if (file.nlink > 1) {
    throw new Error(
      `the file has ${file.nlink} names (hard links), and processes that open it under another one would lose data saved ` +
        'under this one: leave it one name, and use symbolic links for others',
    );
  }
}

/** Node's recursive mkdir never returns where no folder can be created, as in /proc. */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another starting process may have created it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
