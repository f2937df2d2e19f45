/**
 * Builds dist from src, that of the server and of each package, when one was not made from what is there now; to find that
 * out takes milliseconds. What runs is built by this alone, declarations by `npm run prepack`.
 */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { packages, root, TRANSPORT, usesTransport, withOwnTransport } from './parts.mjs';
import './generate.mjs';

const STAMP = '.built-from';

const parts = [...packages, '.'].map((folder) => {
  const modules = modulesOf(join(folder, 'src'));
  if (usesTransport(folder)) {
    modules.push(...modulesOf(TRANSPORT).map(({ path, source }) => ({ path: join('transport', path), source })));
  }
  return { dist: join(root, folder, 'dist'), modules };
});
const settings = ['package-lock.json', 'scripts/build.mjs', 'scripts/parts.mjs', 'scripts/transpile.mjs'].map((path) =>
  join(root, path),
);
// Of times, the one that nobody can set: whatever is changed, exchanged by git, added or gone has another line.
const builtFrom = [...parts.flatMap(({ modules }) => modules.map(({ source }) => source)), ...settings]
  .map((path) => {
    const { size, ctimeMs } = statSync(path);
    return `${relative(root, path)} ${size} ${ctimeMs}\n`;
  })
  .join('');

if (!isBuilt()) {
  console.error('Building…');
  try {
    await build();
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

await import('./build-explorer.mjs');

/** The modules of a folder and the operations that they read, with their paths from there. */
function modulesOf(folder) {
  return filesOf(join(root, folder))
    .filter((path) => /((?<!\.d)\.[jt]sx?|\.graphql)$/.test(path))
    .map((path) => ({ path, source: join(root, folder, path) }));
}

function isBuilt() {
  return parts.every(({ dist, modules }) => {
    const built = new Set(filesOf(dist));
    return (
      built.has(STAMP) &&
      readFileSync(join(dist, STAMP), 'utf8') === builtFrom &&
      modules.every(({ path }) => built.has(inJavaScript(path)))
    );
  });
}

async function build() {
  const { transpile } = await import('./transpile.mjs');
  // All of it before any is put in place: a mistake leaves everything as it was.
  const built = parts.map(({ dist, modules }) => {
    const files = new Map();
    for (const { path, source } of modules) {
      const text = readFileSync(source, 'utf8');
      if (path.endsWith('.graphql')) {
        files.set(path, text);
        continue;
      }
      const script = inJavaScript(path);
      const { code, map } = transpile(source, text);
      const sources = [relative(join(dist, path, '..'), source)];
      files.set(script, `${withOwnTransport(code, path)}//# sourceMappingURL=${basename(script)}.map\n`);
      // With the text of the source: the published packages have no src.
      files.set(`${script}.map`, JSON.stringify({ ...map, sources }));
    }
    return { dist, files: files.set(STAMP, builtFrom) };
  });
  for (const { dist, files } of built) write(dist, files);
}

/** Puts each file in place at once: another process may run what is there, or build the same. */
function write(dist, files) {
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, '.new-'));
  for (const [path, text] of files) {
    writeFileSync(join(folder, 'file'), text);
    // Programs such as dist/cli/parley.js run without `node`.
    if (text.startsWith('#!')) chmodSync(join(folder, 'file'), 0o755);
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    renameSync(join(folder, 'file'), join(dist, path));
  }
  rmSync(folder, { recursive: true });
  for (const path of filesOf(dist)) if (!files.has(path) && !path.startsWith('.new-')) rmSync(join(dist, path));
}

/** The paths of the files below a folder, from there. */
function filesOf(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function inJavaScript(path) {
  return path.replace(/\.tsx?$/, '.js');
}
