/** The built program in a folder of its own, with links to the packages that it has. */
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PROJECT } from './packed.js';

const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

/**
 * Installs the program as npm does with `--omit=optional`.
 * @param folder an empty one
 * @param missing a package that is left out
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
