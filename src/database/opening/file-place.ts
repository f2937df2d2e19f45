/** Where the file of a SQLite database is, or will be. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** @throws Error when what is there can be no database, or one that loses what is saved */
export function checkPlace(path: string): void {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return;
  if (!file.isFile()) throw new Error('it is not a file');
  // SQLite finds log and locks by the name: under two names two processes would write without knowing of each other.
  if (file.nlink > 1) {
    throw new Error(
      `the file has ${file.nlink} names (hard links), and whoever opens it under another one would lose what is saved ` +
        'under this one: leave it one name, and use symbolic links for others',
    );
  }
}

/** Makes a folder. Node's own way to make all that are missing never ends where nobody can make one, as in /proc. */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process that starts may have made it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
