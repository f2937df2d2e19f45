/**
 * The manifests of packed packages: `prepack` removes the condition `@parley/source` from `exports`, because a tarball has no
 * sources, and `postpack` restores the manifest.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CONDITION = '@parley/source';
/** The manifest of the repository, while the package is packed. */
const BACKUP = 'package.source.json';

/** @param {string} folder of the package */
export function writePublishedManifest(folder) {
  const path = join(folder, 'package.json');
  const backup = join(folder, BACKUP);
  // After an interrupted run, the backup is the manifest of the repository.
  const source = readFileSync(existsSync(backup) ? backup : path, 'utf8');
  const published = JSON.parse(source, (key, value) => (key === CONDITION ? undefined : value));
  writeFileSync(backup, source);
  writeFileSync(path, `${JSON.stringify(published, null, 2)}\n`);
}

/** @param {string} folder of the package */
export function restoreManifest(folder) {
  const backup = join(folder, BACKUP);
  if (existsSync(backup)) renameSync(backup, join(folder, 'package.json'));
}
