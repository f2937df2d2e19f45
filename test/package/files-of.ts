import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** The files in a folder except those of other packages, as sorted relative paths. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.startsWith('node_modules/'))
    .sort();
}
