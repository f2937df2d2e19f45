/** The packages of this repository: the server at its root, and those of packages/. Each builds its dist from its src. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the repository is. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The folders under packages/ that are packages, from the root, sorted. */
export const packages = existsSync(join(root, 'packages'))
  ? readdirSync(join(root, 'packages'))
      .map((name) => `packages/${name}`)
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .sort()
  : [];
