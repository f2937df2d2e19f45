/**
 * `npm run conformance`: tests against other programs, whose packages are too many for every installation. They are
 * installed unless they match the lock file of the folder.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

for (const folder of ['test/conformance', 'test/conformance/ai-7']) {
  if (isInstalled(folder)) continue;
  console.error(`Installing the packages of ${folder}…`);
  run('npm', ['ci'], join(root, folder));
}
run('tsc', ['--project', 'test/conformance']);
const args = process.argv.slice(2);
// A project, not a part of the names of files.
if (args[0] === 'citus') args.unshift('--project');
run('vitest', ['run', '--config', 'test/conformance/vitest.config.ts', ...args]);

/** npm writes its list of packages at the end of an installation. */
function isInstalled(folder) {
  const path = (name) => join(root, folder, name);
  const list = statSync(path('node_modules/.package-lock.json'), { throwIfNoEntry: false });
  return list !== undefined && list.mtimeMs > statSync(path('package-lock.json')).mtimeMs;
}

/** Runs a program of npm's path, and exits when it fails. */
function run(program, args, cwd = root) {
  const { status } = spawnSync(program, args, { cwd, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) process.exit(status ?? 1);
}
