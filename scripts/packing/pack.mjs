/**
 * `npm run pack`, `npm run pack -- FOLDER`: writes the tarballs of the server and all packages into a folder, ./packed by default. npm
 * runs prepack before it, which builds them once, and postpack after it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { packages, root } from '../parts.mjs';

const folder = resolve(root, process.argv[2] ?? 'packed');
mkdirSync(folder, { recursive: true });
const parts = packages.flatMap((part) => ['--workspace', part]);
const args = [
  'pack',
  '--ignore-scripts',
  '--loglevel',
  'error',
  '--pack-destination',
  folder,
  '--include-workspace-root',
  ...parts,
];
const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
process.exitCode = status ?? 1;
// npm runs no postpack after a failure.
if (process.exitCode !== 0) await import('./postpack.mjs');
