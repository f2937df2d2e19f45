/**
 * `npm run pack`, `npm run pack -- FOLDER`: builds the server and all packages once, and writes their tarballs into a folder, ./packed
 * by default.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { packages, root } from '../parts.mjs';

const folder = resolve(root, process.argv[2] ?? 'packed');
await import('./prepack.mjs');
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
await import('./postpack.mjs');
