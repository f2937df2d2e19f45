/**
 * The manifests of packed packages: `prepack` removes the condition `@parley/source` from `exports`, because a tarball has no
 * sources, and the tests of a bundled dependency from its files. `postpack` restores the manifests.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages } from '../parts.mjs';

const CONDITION = '@parley/source';
/** The manifest of the repository, while the package is packed. */
const BACKUP = 'package.source.json';
/** A dependency of turndown whose tarball contains 7 MB of tests. npm reads no .npmignore of bundled dependencies. */
const DOMINO = 'node_modules/@mixmark-io/domino';

/** @param {string} packed the packed folder, relative to the root; '' for the server with all packages */
export function changedManifests(packed) {
  return packed === '' ? [...packages, DOMINO] : [packed];
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
  writeFileSync(path, `${JSON.stringify({ files: ['lib'], ...published }, null, 2)}\n`);
}

/** @param {string} folder of the package */
export function restoreManifest(folder) {
  const backup = join(folder, BACKUP);
  if (existsSync(backup)) renameSync(backup, join(folder, 'package.json'));
}
