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

/** The folders that each folder imports: for each import, the first different ones of both paths, which have one parent. */
export const folderImports = new Map();
for (const [path, each] of imports) {
  for (const { target } of each) {
    if (target === undefined) continue;
    const [from, to] = [path.split('/'), target.split('/')];
    const common = from.findIndex((part, index) => part !== to[index]);
    // A file beside a folder is in none of the two.
    if (common < 1 || common >= from.length - 1 || common >= to.length - 1) continue;
    const folderOf = (parts) => parts.slice(0, common + 1).join('/');
    const targets = folderImports.get(folderOf(from)) ?? new Set();
    folderImports.set(folderOf(from), targets.add(folderOf(to)));
  }
}
