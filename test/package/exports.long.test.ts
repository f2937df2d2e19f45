import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../src/server.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { filesOf } from './files-of.js';
import { moduleGraph } from './module-graph.js';
import { LEFTOVER, packProject, PROJECT, unpack } from './packed.js';
import { outputOf, run } from './run.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
/** What the library is, and what it needs. */
const PACKAGES = ['@parley/context', '@toon-format/toon', 'p-limit', 'smol-toml'];
/** What those need themselves. */
const BELOW = /^yocto-queue$/;

const folder = mkdtempSync(join(tmpdir(), 'parley-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let tarball: string;
/** The tarball, unpacked. */
let root: string;
beforeAll(async () => {
  tarball = await packProject(folder);
  root = await unpack(tarball);
}, 300_000);

/** Chunks of the explorer are named by their content, in which the bundler's names depend on the location of packages. */
const unhashed = (file: string) => file.replace(/^(packages\/explorer\/dist\/assets\/.+)-[\w-]{8}(\.\w+)$/, '$1$2');

describe('the tarball', () => {
  test('has what the server and the library need, and nothing else', () => {
    const sources = filesOf(join(PROJECT, 'src'));
    const operations = sources.filter((file) => file.endsWith('.graphql')).map((file) => `dist/${file}`);
    const built = sources.filter((file) => /\.[tj]s$/.test(file)).map((file) => `dist/${file.slice(0, -'.ts'.length)}`);
    // The types of parley/prisma are those of SQLite's client.
    const isTyped = (file: string) => !/^dist\/generated\/(postgresql|sqlserver)\//.test(file);
    const explorer = filesOf(join(PROJECT, 'packages/explorer/dist'))
      .filter((file) => file !== '.built-from')
      .map((file) => `packages/explorer/dist/${file}`);
    const prisma = filesOf(join(PROJECT, 'prisma')).map((file) => `prisma/${file}`);
    const expected = [
      ...explorer,
      ...['LICENSE', 'README.md', 'package.json', 'schema.graphql', 'possibleTypes.json', 'introspection.json'],
      ...prisma,
      ...operations,
      ...built.flatMap((file) => [`${file}.js`, ...(isTyped(file) ? [`${file}.d.ts`] : [])]),
    ];
    expect(filesOf(root).map(unhashed).sort()).toEqual(expected.map(unhashed).sort());
  });

  test.each(['sqlite', 'postgresql', 'sqlserver'])('has the schema and the migrations of %s', (provider) => {
    const names = filesOf(join(root, 'prisma'));
    expect(names).toContain(`schema.${provider}.prisma`);
    expect(names.filter((name) => name.startsWith(`migrations/${provider}/`))).not.toEqual([]);
  });

  test.each(['schema.graphql', 'possibleTypes.json', 'introspection.json'])('gives %s by its name', (name) => {
    expect(createRequire(join(root, 'package.json')).resolve(`parley/${name}`)).toBe(realpathSync(join(root, name)));
  });

  test('has nothing of another build', () => {
    expect(filesOf(root)).not.toContain(LEFTOVER);
  });
});

describe('dependencies', () => {
  const manifest = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as Record<string, object>;

  test('are the packages that dist imports, each of them and no others', () => {
    const modules = filesOf(root).filter((file) => file.endsWith('.js'));
    const imported = modules.flatMap((file) => moduleGraph(join(root, file)).packages);
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    expect([...new Set(imported)].sort()).toEqual(
      Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).sort(),
    );
  });

  test.each(['parley', 'context'])('of the types of %s is the library', (entry) => {
    const { packages, builtins, files } = moduleGraph(join(root, `dist/exports/${entry}.d.ts`));
    expect({ packages, builtins }).toEqual({ packages: ['@parley/context'], builtins: [] });
    // The server's options reach the limits and the documents.
    const options = entry === 'parley' ? ['http/documents/document-manifest.d.ts', 'limits/limits.d.ts'] : [];
    const behind = files.filter((file) => /\/dist\/(generated|database|graphql|http|limits)\//.test(file));
    expect(behind.sort()).toEqual(options.map((file) => join(root, 'dist', file)));
  });

  test("of the types of prisma is Prisma's client", () => {
    const { packages, files } = moduleGraph(join(root, 'dist/exports/prisma.d.ts'));
    expect(packages).toEqual(['@prisma/client']);
    expect(files.filter((file) => !/\/dist\/(exports|prisma|generated\/sqlite)\//.test(file))).toEqual([]);
  });
});

describe('parley/context', () => {
  test('is the library, which the tarball brings along with what it needs', () => {
    const { files, packages, builtins } = moduleGraph(join(root, 'dist/exports/context.js'));
    expect(files).toEqual([join(root, 'dist/exports/context.js')]);
    expect({ packages, builtins }).toEqual({ packages: ['@parley/context'], builtins: [] });
    const bundled = readdirSync(join(root, 'node_modules'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    expect(bundled.map(({ name }) => name).sort()).toEqual([
      '@joplin',
      '@mixmark-io',
      '@parley',
      '@toon-format',
      'argparse',
      'dom-serializer',
      'domelementtype',
      'domhandler',
      'domutils',
      'entities',
      'htmlparser2',
      'linkify-it',
      'markdown-it',
      'p-limit',
      'pend',
      'punycode.js',
      'smol-toml',
      'turndown',
      'uc.micro',
      'uuid',
      'yauzl',
      'yocto-queue',
    ]);
  });

  test('runs where there is nothing but fetch and crypto', async () => {
    const server = await createServer({ databaseUrl: temporaryDatabaseUrl(), port: 0 });
    const url = await server.start();
    try {
      const { answer, loaded } = await runBare('bare-agent.js', url);
      const messages = [
        { id: 'q1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
        { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Good day' }] },
      ];
      const prompts = [
        '<role>You are helpful.</role>',
        '## role\n\nYou are helpful.',
        'role = "You are helpful."',
        'role: You are helpful.',
      ];
      expect(answer).toEqual(prompts.map((systemPrompt) => ({ systemPrompt, messages })));
      const packages = loaded.flatMap((file) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
      expect([...new Set(packages)].filter((name) => !BELOW.test(name)).sort()).toEqual(PACKAGES);
    } finally {
      await server.stop();
    }
  });

  /** What an agent's default export answers, and what was loaded, see bare-runtime.mjs. */
  async function runBare(agent: string, argument: string): Promise<{ answer: unknown; loaded: string[] }> {
    const project = temporaryFolder();
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules/parley'));
    copyFileSync(join(HERE, 'consumer', agent), join(project, agent));
    const options = ['--no-warnings', '--experimental-vm-modules', '--experimental-import-meta-resolve'];
    const program = [join(HERE, 'bare-runtime.mjs'), pathToFileURL(join(project, agent)).href, argument];
    const output = await outputOf(process.execPath, [...options, ...program], project);
    return JSON.parse(output) as { answer: unknown; loaded: string[] };
  }
});

test('importing parley does nothing', async () => {
  const cwd = temporaryFolder();
  const entry = pathToFileURL(join(root, 'dist/exports/parley.js')).href;
  const script = `import * as parley from ${JSON.stringify(entry)}; process.exitCode = Object.keys(parley).length`;
  // It ends by itself: nothing listens, and no timer runs.
  expect(await run(process.execPath, ['--input-type=module', '-e', script], cwd)).toEqual({
    code: 6,
    stdout: '',
    stderr: '',
  });
  expect(readdirSync(cwd)).toEqual([]);
});
