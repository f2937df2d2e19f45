/**
 * Builds dist from src, for the server and each package, unless it is up to date, which takes milliseconds to check. It
 * builds JavaScript; `npm run prepack` adds declarations.
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

const STAMP = '.built-from';

const parts = [...packages, '.'].map((folder) => {
  const modules = modulesOf(join(folder, 'src'));
  if (usesTransport(folder)) {
    modules.push(...modulesOf(TRANSPORT).map(({ path, source }) => ({ path: join('transport', path), source })));
  }
  return { dist: join(root, folder, 'dist'), modules };
});
const settings = ['package-lock.json', 'scripts/build-modules.mjs', 'scripts/parts.mjs', 'scripts/transpile.mjs'].map(
  (path) => join(root, path),
);
// The change time cannot be set: every edited, checked out, added or deleted file changes a line.
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

/** The modules of a folder and the operations that they read, by relative path. */
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
  // Everything is built before anything is written: an error changes nothing.
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
      // Includes the source text: published packages have no src.
      files.set(`${script}.map`, JSON.stringify({ ...map, sources }));
    }
    return { dist, files: files.set(STAMP, builtFrom) };
  });
  for (const { dist, files } of built) write(dist, files);
}

/** Replaces each file atomically: another process may run it, or build the same. */
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

/** The relative paths of the files below a folder. */
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
