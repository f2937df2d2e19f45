/** The imports of src and packages, for check-imports.mjs and structure.mjs. Imports of types count. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { globSync } from 'tinyglobby';
import { root } from './parts.mjs';

const IGNORED = ['**/node_modules/**', '**/dist/**', '**/generated/**', '**/.next/**'];
/** The names of imports in the text of a module. */
export const IMPORT = /\b(?:from|import)\s*\(?\s*'([^'\s]+)'/g;

/** The files of the repository that match, without generated and installed ones, sorted. */
export const pathsOf = (patterns) => globSync(patterns, { cwd: root, ignore: IGNORED, dot: true }).sort();

const texts = new Map(
  pathsOf(['src/**/*.{ts,tsx}', 'packages/*/src/**/*.{ts,tsx}']).map((path) => [
    path,
    readFileSync(join(root, path), 'utf8'),
  ]),
);

/** The source of each module of packages, by import name. */
const modules = new Map(
  pathsOf('packages/*/package.json').flatMap((path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'));
    return Object.entries(exports).map(([entry, conditions]) => [
      join(name, entry),
      join(dirname(path), conditions['@parley/source'] ?? entry),
    ]);
  }),
);

function importedFile(from, name) {
  const target = name.startsWith('.') ? relative(root, resolve(root, dirname(from), name)) : modules.get(name);
  const path = target?.split(sep).join('/');
  return ['.js', '.ts', '.tsx'].map((end) => path?.replace(/\.[jt]sx?$/, end)).find((file) => texts.has(file));
}

/** The imports of each file: the name, and the path of the imported file if it is of the project. */
export const imports = new Map(
  Array.from(texts, ([path, text]) => [
    path,
    Array.from(text.matchAll(IMPORT), ([, name]) => ({ name, target: importedFile(path, name) })),
  ]),
);
