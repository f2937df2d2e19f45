/** Packs the built better-sqlite3, so that tests install it without a compiler or a download. */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from './packed.js';
import { outputOf } from './run.js';

const BINARY = 'build/Release/better_sqlite3.node';

/**
 * Creates the archive that its install script otherwise downloads or compiles.
 * @param folder an empty or missing folder
 * @returns the environment variables that make the script use the archive
 */
export async function prebuiltSqlite(folder: string): Promise<Record<string, string>> {
  const built = join(PROJECT, 'node_modules/better-sqlite3');
  const { version } = JSON.parse(await readFile(join(built, 'package.json'), 'utf8')) as { version: string };
  const { platform, arch, versions } = process;
  await mkdir(join(folder, 'build/Release'), { recursive: true });
  await copyFile(join(built, BINARY), join(folder, BINARY));
  // The name that prebuild-install expects. On platforms with another name, such as musl, the script downloads or
  // compiles.
  const archive = `better-sqlite3-v${version}-node-v${versions.modules}-${platform}-${arch}.tar.gz`;
  await outputOf('tar', ['-czf', archive, 'build'], folder);
  return { npm_config_better_sqlite3_local_prebuilds: folder };
}
