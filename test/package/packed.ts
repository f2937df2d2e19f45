/** The package as `npm pack` makes it. */
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf } from './run.js';

/** The project that these tests are of, and whose node_modules they use. */
export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** What a clone does not have; the build makes what it needs. */
const NOT_IN_A_CLONE = new Set(['.git', 'node_modules', 'conformance/node_modules', 'dist', 'coverage', 'data']);

/** What another build, of other sources, would have left behind. */
export const LEFTOVER = 'dist/conversation/leftover.js';

/**
 * Packs the project, its own prepack script and all. That happens in a copy: prepack empties dist, which other tests run
 * the server of.
 * @param folder an empty one, for the copy and the tarball
 * @returns where the tarball is
 */
export async function packProject(folder: string): Promise<string> {
  const copy = join(folder, 'project');
  await cp(PROJECT, copy, { recursive: true, filter: (path) => !NOT_IN_A_CLONE.has(relative(PROJECT, path)) });
  await symlink(join(PROJECT, 'node_modules'), join(copy, 'node_modules'));
  await mkdir(join(copy, LEFTOVER, '..'), { recursive: true });
  await writeFile(join(copy, LEFTOVER), '');
  await outputOf('npm', ['pack', '--pack-destination', folder], copy);
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack has made no tarball');
  return join(folder, tarball);
}

/**
 * Unpacks a tarball beside it, with the project's node_modules.
 * @returns the folder of the package
 */
export async function unpack(tarball: string): Promise<string> {
  const folder = join(tarball, '..');
  await outputOf('tar', ['-xzf', tarball, '-C', folder], folder);
  await symlink(join(PROJECT, 'node_modules'), join(folder, 'package', 'node_modules'));
  return join(folder, 'package');
}
