import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** The files under a folder, but those of other packages, by their paths from there, sorted. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.startsWith('node_modules/'))
    .sort();
}
