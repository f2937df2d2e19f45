/**
 * Builds dist from src, when it was not made from what is there now; to find that out takes milliseconds. What runs is
 * built by this alone, declarations by `npm run prepack`.
 */
import {
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
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, 'src');
const dist = join(root, 'dist');
const STAMP = '.built-from';

// What is generated has types and nothing that runs.
const modules = filesOf(src).filter((path) => /(?<!\.d)\.[jt]s$/.test(path) && !path.startsWith('generated'));
const settings = ['package-lock.json', 'scripts/build.mjs', 'scripts/transpile.mjs'];
// Of times, the one that nobody can set: whatever is changed, exchanged by git, added or gone has another line.
const builtFrom = [...modules.map((path) => join('src', path)), ...settings]
  .map((path) => {
    const { size, ctimeMs } = statSync(join(root, path));
    return `${path} ${size} ${ctimeMs}\n`;
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

function isBuilt() {
  const built = new Set(filesOf(dist));
  return (
    built.has(STAMP) &&
    readFileSync(join(dist, STAMP), 'utf8') === builtFrom &&
    modules.every((path) => built.has(inJavaScript(path)))
  );
}

async function build() {
  const { transpile } = await import('./transpile.mjs');
  const files = new Map();
  for (const path of modules) {
    const script = inJavaScript(path);
    const { code, map } = transpile(join(src, path), readFileSync(join(src, path), 'utf8'));
    const sources = [relative(join(dist, path, '..'), join(src, path))];
    files.set(script, `${code}//# sourceMappingURL=${basename(script)}.map\n`);
    files.set(`${script}.map`, JSON.stringify({ ...map, sources, sourcesContent: undefined }));
  }
  write(files.set(STAMP, builtFrom));
}

/** Puts each file in place at once: another process may run what is there, or build the same. */
function write(files) {
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, '.new-'));
  for (const [path, text] of files) {
    writeFileSync(join(folder, 'file'), text);
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
  return path.replace(/\.ts$/, '.js');
}
