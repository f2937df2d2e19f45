/** Builds tarballs with `npm pack`. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { outputOf } from './run.js';

/** The tested project, whose node_modules are used. */
export const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Files that a clone does not have; the build creates the necessary ones. */
const NOT_IN_A_CLONE = new Set(['.git', 'node_modules', 'dist', 'coverage', 'data', 'packed', '.next']);

/** A file of an older build. */
export const LEFTOVER = 'dist/conversation/leftover.js';

interface Lock {
  /** Packages by folder. */
  packages: Record<string, Locked>;
}

interface Locked {
  dependencies?: Record<string, string>;
  bundleDependencies?: string[];
  /** Whether it is a workspace package, in the folder `resolved`. */
  link?: boolean;
  resolved?: string;
}

/**
 * Packs the project or one of its packages with its prepack script. Works in a copy, because prepack empties dist,
 * which other tests use.
 * @param folder an empty folder for the copy and the tarball
 * @param part the package's folder in the project
 * @returns the path of the tarball
 */
export async function packProject(folder: string, part = '.'): Promise<string> {
  const copy = join(folder, 'project');
  await cloneProject(copy);
  await mkdir(join(copy, LEFTOVER, '..'), { recursive: true });
  await writeFile(join(copy, LEFTOVER), '');
  await outputOf('npm', ['pack', '--pack-destination', folder], join(copy, part));
  const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack did not create a tarball');
  return join(folder, tarball);
}

/** `.ci/run` sets this variable to a missing folder: its tests share the tarballs, which take a minute to build. */
const SHARED = process.env['TEST_PACKED'];

/**
 * Packs the server and all packages with `npm run pack`, in a copy.
 * @param copy a missing folder
 * @returns the path of the tarball of a package, by the part of its name before the version
 */
export async function packAll(copy: string): Promise<(name: string) => string> {
  const packed = SHARED ?? join(copy, 'packed');
  if (!existsSync(packed)) {
    await cloneProject(copy);
    const own = `${packed}-${randomUUID()}`;
    await outputOf('npm', ['run', 'pack', '--', own], copy);
    // A test of another process may have been faster.
    await rename(own, packed).catch(() => rm(own, { recursive: true }));
  }
  return (name) => join(packed, `${name}-0.1.0.tgz`);
}

/** Copies the project as a clone after `npm ci`. */
export async function cloneProject(copy: string): Promise<void> {
  await cp(PROJECT, copy, {
    recursive: true,
    filter: (path) => !NOT_IN_A_CLONE.has(basename(path)) || path === PROJECT,
  });
  await installAsHere(copy);
}

/** Gives a copy of the project its packages: copies of those that the tarball bundles, and links to the others. */
async function installAsHere(copy: string): Promise<void> {
  const installed = join(PROJECT, 'node_modules');
  const { packages } = JSON.parse(await readFile(join(PROJECT, 'package-lock.json'), 'utf8')) as Lock;
  const bundled = new Set(packages['']?.bundleDependencies);
  // The loop also visits names that it adds.
  for (const name of bundled) {
    const found = packages[`node_modules/${name}`];
    const manifest = found?.link === true ? packages[found.resolved ?? ''] : found;
    for (const dependency of Object.keys(manifest?.dependencies ?? {})) bundled.add(dependency);
  }
  const copied = new Set([...bundled].map((name) => name.split('/')[0]));
  await mkdir(join(copy, 'node_modules'));
  for (const name of await readdir(installed)) {
    const [from, to] = [join(installed, name), join(copy, 'node_modules', name)];
    // Unchanged links to workspace packages lead to the packages of the copy.
    await (copied.has(name) ? cp(from, to, { recursive: true, verbatimSymlinks: true }) : symlink(from, to));
  }
}

/**
 * Unpacks a tarball next to it, with links to the packages that it does not bundle.
 * @returns the folder of the package
 */
export async function unpack(tarball: string): Promise<string> {
  const folder = join(tarball, '..');
  await outputOf('tar', ['-xzf', tarball, '-C', folder], folder);
  const packages = join(folder, 'package', 'node_modules');
  const bundled = new Set(await readdir(packages));
  for (const name of await readdir(join(PROJECT, 'node_modules'))) {
    if (!bundled.has(name)) await symlink(join(PROJECT, 'node_modules', name), join(packages, name));
  }
  return join(folder, 'package');
}
