/**
 * The manifests of packed packages: `prepack` removes the condition `@parley/source` from `exports`, because a tarball has no
 * sources, and tests and source maps from the files of bundled dependencies. `postpack` restores the manifests.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages } from '../parts.mjs';

const CONDITION = '@parley/source';
/** The manifest of the repository, while the package is packed. */
const BACKUP = 'package.source.json';
/**
 * Bundled dependencies with large files that no program loads: domino has 7 MB of tests. npm reads no .npmignore of bundled
 * dependencies.
 */
const BUNDLED = ['@mixmark-io/domino', 'chardet', 'markdown-it'].map((name) => join('node_modules', name));

/** @param {string} packed the packed folder, relative to the root; '' for the server with all packages */
export function changedManifests(packed) {
  return packed === '' ? [...packages, ...BUNDLED] : [packed];
}

/** @param {string} folder of the package */
export function writePublishedManifest(folder) {
  const path = join(folder, 'package.json');
  const backup = join(folder, BACKUP);
  // After an interrupted run, the backup is the manifest of the repository.
  if (!existsSync(backup)) renameSync(path, backup);
  const source = readFileSync(backup, 'utf8');
  const published = JSON.parse(source, (key, value) => (key === CONDITION ? undefined : value));
  // Only the manifest of domino has no `files`.
  const { files = ['lib'] } = published;
  if (BUNDLED.some((name) => folder.endsWith(name))) published.files = [...files, '!**/*.map'];
  writeFileSync(path, `${JSON.stringify(published, null, 2)}\n`);
}

/** @param {string} folder of the package */
export function restoreManifest(folder) {
  const backup = join(folder, BACKUP);
  if (existsSync(backup)) renameSync(backup, join(folder, 'package.json'));
}
