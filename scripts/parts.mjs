/** The packages of this repository that are libraries: the server at its root, and those of packages/ with exports. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the repository is. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The folders of the libraries under packages/, from the root, sorted; packages/explorer is a page and has its own build. */
export const packages = existsSync(join(root, 'packages'))
  ? readdirSync(join(root, 'packages'))
      .map((name) => `packages/${name}`)
      .filter(hasExports)
      .sort()
  : [];

/** Of a package only package.json is everywhere: an image has no tsconfig.build.json. */
function hasExports(folder) {
  const path = join(root, folder, 'package.json');
  return existsSync(path) && 'exports' in JSON.parse(readFileSync(path, 'utf8'));
}
