/** The lint rule `parley/no-circular-imports`. It counts imports of types, which import-x/no-cycle ignores. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import ts from 'typescript';
import { packages, root } from './parts.mjs';

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

/** The imported files of the project, by file. */
function importGraph() {
  const files = globSync(['src/**/*.{ts,tsx}', 'packages/*/src/**/*.{ts,tsx}'], { cwd: root, absolute: true });
  const entries = sourcesOfPackages();
  const known = new Set(files);
  const fileOf = (from, name) => {
    const target = name.startsWith('.') ? resolve(dirname(from), name) : entries.get(name);
    const candidates =
      target === undefined ? [] : [target, ...['.ts', '.tsx'].map((end) => target.replace(/\.js$/, end))];
    return candidates.find((file) => known.has(file));
  };
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
      return [file, importedFiles.map(({ fileName }) => fileOf(file, fileName)).filter((found) => found !== undefined)];
    }),
  );
}

/** The source of each package module, by import name. */
function sourcesOfPackages() {
  const entries = new Map();
  for (const folder of packages) {
    const { name, exports } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    for (const [entry, conditions] of Object.entries(exports ?? {})) {
      const source = conditions['@parley/source'];
      if (source !== undefined) entries.set(join(name, entry), join(root, folder, source));
    }
  }
  return entries;
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
