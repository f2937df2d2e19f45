/** The lint rules `parley/allowed-imports` and `parley/no-circular-imports`. Both count imports of types. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';
import { root } from './parts.mjs';

/** The first file of each circle: file → the files of its circle in the order of import. */
let circles;

export const noCircularImports = {
  meta: { type: 'problem', schema: [], messages: { circular: 'Circular import: {{path}}' } },
  create: (context) => ({
    Program(node) {
      circles ??= findCircles(importGraph());
      const circle = circles.get(context.filename);
      if (circle === undefined) return;
      const path = [...circle, context.filename].map((file) => relative(root, file)).join(' → ');
      context.report({ node, loc: { line: 1, column: 0 }, messageId: 'circular', data: { path } });
    },
  }),
};

/**
 * Options: the files and folders of the project that may be imported by `path` and by package `name`, from the root.
 * Without `name`, all packages may be imported. `message` is reported for other imports.
 */
export const allowedImports = {
  meta: { type: 'problem', schema: [{ type: 'object' }], messages: { forbidden: '{{message}}' } },
  create: (context) => ({
    Program() {
      const { filename, sourceCode } = context;
      const [options] = context.options;
      for (const { fileName, pos, end } of importsIn(sourceCode.text)) {
        const allowed = fileName.startsWith('.') ? options.path : options.name;
        const target = importedFile(filename, fileName);
        if (allowed === undefined || target === undefined) continue;
        const path = relative(root, target).split(sep).join('/');
        if (allowed.some((part) => path === part || path.startsWith(`${part}/`))) continue;
        const loc = { start: sourceCode.getLocFromIndex(pos), end: sourceCode.getLocFromIndex(end) };
        context.report({ loc, messageId: 'forbidden', data: options });
      }
    },
  }),
};

const importsIn = (text) => ts.preProcessFile(text, true, true).importedFiles;

/** The files of the project. */
const files = new Set(globSync(['src/**/*.{ts,tsx}', 'packages/*/src/**/*.{ts,tsx}'], { cwd: root, absolute: true }));

/** The source of each module of packages, by import name. */
const modules = new Map(
  globSync('packages/*/package.json', { cwd: root, absolute: true }).flatMap((path) => {
    const { name, exports = {} } = JSON.parse(readFileSync(path, 'utf8'));
    return Object.entries(exports).map(([entry, conditions]) => [
      join(name, entry),
      resolve(dirname(path), conditions['@parley/source'] ?? entry),
    ]);
  }),
);

/** The file of the project that an import names, if it is one. */
function importedFile(from, name) {
  const target = name.startsWith('.') ? resolve(dirname(from), name) : modules.get(name);
  return ['.js', '.ts', '.tsx'].map((end) => target?.replace(/\.[jt]sx?$/, end)).find((file) => files.has(file));
}

/** The imported files of the project, by file. */
function importGraph() {
  return new Map(
    Array.from(files, (file) => {
      const names = importsIn(readFileSync(file, 'utf8')).map(({ fileName }) => fileName);
      return [file, names.map((name) => importedFile(file, name)).filter((found) => found !== undefined)];
    }),
  );
}

/** Depth-first search: an import of a file on the current path closes a circle. */
function findCircles(graph) {
  const found = new Map();
  const finished = new Set();
  const path = [];
  const visit = (file) => {
    const start = path.indexOf(file);
    if (start >= 0) found.set(file, path.slice(start));
    if (start >= 0 || finished.has(file)) return;
    path.push(file);
    graph.get(file).forEach(visit);
    path.pop();
    finished.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return found;
}
