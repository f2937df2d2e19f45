/** The built program in a separate folder, with links to its packages. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT } from './packed.js';

const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

/**
 * Installs the program like npm with `--omit=optional`.
 * @param folder an empty folder
 * @param missing a package that is not installed
 */
export function install(folder: string, missing?: string): void {
  for (const part of ['dist', 'package.json', 'prisma/migrations']) {
    cpSync(join(PROJECT, part), join(folder, part), { recursive: true });
  }
  for (const name of Object.keys(dependencies)) {
    if (name === missing) continue;
    mkdirSync(dirname(join(folder, 'node_modules', name)), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name));
  }
}
