/**
 * `npm run test:without -- FEATURE…`: copies the project without the folders of these features and their lines in
 * src/features, and checks that the rest works alone: the types of src, a server with the schema, and the tests of the core.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { globSync } from 'tinyglobby';
import { IMPORT } from './imports.mjs';
import { root } from './parts.mjs';

/** Those that import a removed feature are left out. */
const CORE_TESTS = ['test/{graphs,events,limits,features/drafts}/*.test.ts', 'test/api/{*,chats/*,search/*}.test.ts'];

/** A server answers a query of the remaining schema. */
const START = `
  const { createServer } = await import('./src/server.ts');
  const server = await createServer({ databaseUrl: ':memory:', port: 0 });
  const response = await fetch(await server.start(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ chats { totalCount } }"}',
  });
  if ((await response.json()).data.chats.totalCount !== 0) throw new Error('The server does not answer.');
  await server.stop();`;

const folder = mkdtempSync(join(tmpdir(), 'parley-without-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

copyProject();
for (const name of process.argv.slice(2)) remove(name);
writeFileSync(join(folder, 'tsconfig.src.json'), '{ "extends": "./tsconfig.json", "include": ["src"] }');
run('node_modules/.bin/tsc', ['-p', 'tsconfig.src.json']);
run(process.execPath, ['--import', './scripts/typescript.mjs', '--input-type=module', '--eval', START]);
run('node_modules/.bin/vitest', ['run', '--project', 'sqlite', ...coreTests()]);

function copyProject() {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' });
  const generated = ['src/generated', 'test/generated', 'introspection.json', 'possibleTypes.json'];
  for (const path of [...stdout.split('\0'), ...generated]) {
    if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}

/** Deletes the folder of a feature, and its names in the lists of features. */
function remove(name) {
  const features = join(folder, 'src/features');
  if (!existsSync(join(features, name))) throw new Error(`There is no feature ${name} in src/features.`);
  for (const part of ['src', 'test']) rmSync(join(folder, part, 'features', name), { recursive: true, force: true });
  for (const list of readdirSync(features).filter((file) => /^all-.*\.ts$/.test(file))) {
    const path = join(features, list);
    let text = readFileSync(path, 'utf8');
    const lines = new RegExp(`^.* (from |import\\()'\\./${name}/[^']*'.*\n`, 'gm');
    const names = Array.from(text.matchAll(lines)).flatMap(([line]) => /^import \{ (\w+) \}/.exec(line)?.[1] ?? []);
    text = text.replace(lines, '');
    const named = new RegExp(`(\\.\\.\\.)?\\b(${names.join('|')})\\b,?`, 'g');
    if (names.length > 0) text = text.replace(/^(?!import ).*$/gm, (line) => line.replace(named, ''));
    writeFileSync(path, text);
  }
}

function coreTests() {
  const known = new Map();
  const isComplete = (path) => {
    if (!known.has(path)) {
      known.set(path, true);
      known.set(
        path,
        importsOf(path).every((each) => existsSync(each) && isComplete(each)),
      );
    }
    return known.get(path);
  };
  return globSync(CORE_TESTS, { cwd: folder })
    .filter((path) => isComplete(join(folder, path)))
    .sort();
}

function importsOf(path) {
  if (!/\.tsx?$/.test(path)) return [];
  return Array.from(readFileSync(path, 'utf8').matchAll(IMPORT), ([, name]) => name)
    .filter((name) => name.startsWith('.'))
    .map((name) => resolve(dirname(path), name))
    .map((target) => [target.replace(/\.js$/, '.ts'), target].find(existsSync) ?? target);
}

function run(command, args) {
  console.log(`\n${[relative(folder, command), ...args].join(' ').slice(0, 200)}`);
  const { status } = spawnSync(command, args, { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
