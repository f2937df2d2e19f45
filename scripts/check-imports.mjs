/**
 * Checks the imports of src and packages against import-rules.mjs, that neither files nor folders import in
 * circles, and the names of all files. Imports of types count. A part of `npm run lint`.
 */
import { isBuiltin } from 'node:module';
import { mayImport } from './import-rules.mjs';
import { folderImports, imports, pathsOf } from './imports.mjs';

/** One concept a file, and the file named after it. */
const VAGUE_NAMES = '**/{util,utils,helper,helpers,common,misc,index}.{js,ts,cjs,cts,mjs,mts}';

const problems = [
  ...pathsOf(VAGUE_NAMES).map((path) => `${path} has a name that says nothing of what is in it.`),
  ...Array.from(imports).flatMap(([path, each]) => forbiddenImports(path, each)),
  ...circlesIn(imports.keys(), targetsOf).map((circle) => `Circular import: ${circle.join(' → ')}`),
  ...circlesIn(folderImports.keys(), (folder) => folderImports.get(folder) ?? []).map(
    (circle) => `Folders form no layers: ${circle.join(' → ')}`,
  ),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

function forbiddenImports(path, each) {
  const [, folder] = /^(packages\/[^/]+)\/src\//.exec(path) ?? [];
  const { isAllowed, rule } = folder === undefined ? ruleOfServer(path) : ruleOfPackage(folder);
  return each.filter((one) => !isAllowed(one)).map(({ name }) => `${path} imports ${name}. ${rule}`);
}

function ruleOfServer(path) {
  const [part, others] =
    Object.entries(mayImport)
      .map(([part, others]) => [folderOf(part, path), others])
      .findLast(([part]) => isWithin(path, `src/${part}`)) ?? [];
  if (part === undefined) {
    const rule = 'This part of src has no line in scripts/import-rules.mjs.';
    return { isAllowed: ({ target }) => target === undefined, rule };
  }
  const allowed = [part, 'system', ...others].map((other) => (other.startsWith('packages/') ? other : `src/${other}`));
  return {
    isAllowed: ({ name, target }) =>
      target === undefined ||
      (name.startsWith('.') === target.startsWith('src/') && allowed.some((other) => isWithin(target, other))),
    rule: `src/${part} may import ${others.join(', ') || 'nothing else of src'}.`,
  };
}

/** The folder that a part with an asterisk stands for. */
function folderOf(part, path) {
  const parent = part.endsWith('/*') ? `src/${part.slice(0, -1)}` : undefined;
  if (parent === undefined || !path.startsWith(parent)) return part;
  const end = path.indexOf('/', parent.length);
  return end < 0 ? part : path.slice('src/'.length, end);
}

/** Packages import other packages by name, and nothing of the server. All but interchange run in browsers, too. */
function ruleOfPackage(folder) {
  return {
    isAllowed: ({ name, target }) =>
      name.startsWith('.')
        ? target === undefined || isWithin(target, folder)
        : folder === 'packages/interchange' || !isBuiltin(name),
    rule: 'Packages import others by their names, and only interchange imports modules of Node.',
  };
}

function targetsOf(file) {
  return imports.get(file).flatMap(({ target }) => target ?? []);
}

function isWithin(path, part) {
  return path === part || path.startsWith(`${part}/`);
}

/** Depth-first search: an import of a node on the current path closes a circle. */
function circlesIn(nodes, importedBy) {
  const circles = [];
  const finished = new Set();
  const path = [];
  const visit = (node) => {
    const start = path.indexOf(node);
    if (start >= 0) circles.push([...path.slice(start), node]);
    if (start >= 0 || finished.has(node)) return;
    path.push(node);
    for (const target of importedBy(node)) visit(target);
    path.pop();
    finished.add(node);
  };
  for (const node of nodes) visit(node);
  return circles;
}
