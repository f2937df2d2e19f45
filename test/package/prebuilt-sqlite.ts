/** better-sqlite3 as the project has built it, to be installed again without a compiler or a download. */
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROJECT } from './packed.js';
import { outputOf } from './run.js';

const BINARY = 'build/Release/better_sqlite3.node';

/**
 * Makes of it what its install script otherwise downloads, or compiles for a minute.
 * @param folder an empty one
 * @returns the variables with which the script looks there first
 */
export async function prebuiltSqlite(folder: string): Promise<Record<string, string>> {
  const built = join(PROJECT, 'node_modules/better-sqlite3');
  const { version } = JSON.parse(await readFile(join(built, 'package.json'), 'utf8')) as { version: string };
  const { platform, arch, versions } = process;
  await mkdir(join(folder, 'build/Release'), { recursive: true });
  await copyFile(join(built, BINARY), join(folder, BINARY));
  // As prebuild-install names it. Where it has another name, as on musl, the script takes its long way.
  const archive = `better-sqlite3-v${version}-node-v${versions.modules}-${platform}-${arch}.tar.gz`;
  await outputOf('tar', ['-czf', archive, 'build'], folder);
  return { npm_config_better_sqlite3_local_prebuilds: folder };
}
