/**
 * Makes what `npm pack` packs anew, what runs and its declarations: in the folder of a package that package alone, and at the
 * root the server and all packages, by whose declarations its own are made.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packages, root } from './parts.mjs';

const packed = relative(root, process.cwd());
const parts = packed === '' ? [...packages, '.'] : [packed];
for (const part of parts) rmSync(join(root, part, 'dist'), { recursive: true, force: true });
if (packed === '') await import('./generate.mjs');
await import('./build.mjs');
for (const part of parts) declare(part);

/** Writes the declarations of a package beside its modules. */
function declare(part) {
  const args = ['-p', join(part, 'tsconfig.build.json')];
  const { status } = spawnSync('tsc', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}
