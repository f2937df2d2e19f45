/** The packages of this repository that are libraries: the server at its root, and those of packages/ with a tsconfig.build.json. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the repository is. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The folders of the libraries under packages/, from the root, sorted; packages/explorer is a page and has its own build. */
export const packages = existsSync(join(root, 'packages'))
  ? readdirSync(join(root, 'packages'))
      .map((name) => `packages/${name}`)
      .filter((folder) => existsSync(join(root, folder, 'tsconfig.build.json')))
      .sort()
  : [];
