/**
 * Makes what `npm pack` packs anew, what runs and its declarations: in the folder of a package that package alone, and at the
 * root the server and all packages, by whose declarations its own are made.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packages, root } from './parts.mjs';

const CONTRACT = 'schema.graphql';

const packed = relative(root, process.cwd());
const parts = packed === '' ? [...packages, '.'] : [packed];
for (const part of parts) rmSync(join(root, part, 'dist'), { recursive: true, force: true });
if (packed === '') await import('./generate.mjs');
await import('./build.mjs');
for (const part of parts) declare(part);
for (const part of parts) copyContract(part);

/** Copies the contract of the root into a package that exports it. */
function copyContract(part) {
  const { files } = JSON.parse(readFileSync(join(root, part, 'package.json'), 'utf8'));
  if (part !== '.' && files.includes(CONTRACT)) copyFileSync(join(root, CONTRACT), join(root, part, CONTRACT));
}

/** Writes the declarations of a package beside its modules. */
function declare(part) {
  const args = ['-p', join(part, 'tsconfig.build.json')];
  const { status } = spawnSync('tsc', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}
