/** The packages of this repository that are libraries: the server at its root, and the published ones of packages/. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The folders of the libraries under packages/, relative to the root, sorted; the other packages are bundled. */
export const packages = existsSync(join(root, 'packages'))
  ? readdirSync(join(root, 'packages'))
      .map((name) => `packages/${name}`)
      .filter(isPublished)
      .sort()
  : [];

/** Reads only package.json: an image has no tsconfig.build.json. */
function isPublished(folder) {
  const path = join(root, folder, 'package.json');
  return existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).private !== true;
}

/** The folder of the modules that packages contain a copy of, relative to the root. */
export const TRANSPORT = 'packages/transport/src';

/** Whether a package contains a copy of the transport, in `dist/transport`. */
export function usesTransport(folder) {
  const { devDependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  return devDependencies?.['@parley/transport'] !== undefined;
}

/**
 * Makes a module of a package import the package's own copy of the transport.
 * @param {string} code of the module, or its declarations
 * @param {string} path of the module, from `dist`
 */
export function withOwnTransport(code, path) {
  return code.replace(/(?<=['"])@parley\/transport\/([\w-]+)(?=['"])/g, (_, name) => {
    const own = relative(dirname(path), `transport/${name}.js`);
    return own.startsWith('.') ? own : `./${own}`;
  });
}
