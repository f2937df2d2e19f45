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
/** The packages of the library and its direct dependencies. */
const PACKAGES = ['@parley/context', '@toon-format/toon', 'p-limit', 'smol-toml'];
/** Dependencies of those packages. */
const BELOW = /^yocto-queue$/;

const folder = mkdtempSync(join(tmpdir(), 'parley-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let tarball: string;
/** The folder of the unpacked tarball. */
let root: string;
beforeAll(async () => {
  tarball = await packProject(folder);
  root = await unpack(tarball);
});

/** The names of the explorer's chunks contain a hash that depends on the location of packages. */
const unhashed = (file: string) => file.replace(/^(packages\/explorer\/dist\/assets\/.+)-[\w-]{8}(\.\w+)$/, '$1$2');

describe('the tarball', () => {
  test('contains exactly the files of the server and the library', () => {
    const sources = filesOf(join(PROJECT, 'src'));
    const operations = sources.filter((file) => file.endsWith('.graphql')).map((file) => `dist/${file}`);
    const built = sources.filter((file) => /\.[tj]s$/.test(file)).map((file) => `dist/${file.slice(0, -'.ts'.length)}`);
    const explorer = filesOf(join(PROJECT, 'packages/explorer/dist'))
      .filter((file) => file !== '.built-from')
      .map((file) => `packages/explorer/dist/${file}`);
    const prisma = filesOf(join(PROJECT, 'prisma')).map((file) => `prisma/${file}`);
    const expected = [
      ...explorer,
      ...['LICENSE', 'README.md', 'package.json', 'schema.graphql', 'possibleTypes.json', 'introspection.json'],
      ...prisma,
      ...operations,
      ...built.map((file) => `${file}.js`),
    ];
    const isType = (file: string) => file.startsWith('dist/') && file.endsWith('.d.ts');
    const packed = filesOf(root);
    expect(
      packed
        .filter((file) => !isType(file))
        .map(unhashed)
        .sort(),
    ).toEqual(expected.map(unhashed).sort());
    // Those that the entries reach, and few others: see the tests of the entries.
    const types = packed.filter(isType).map((file) => file.slice(0, -'.d.ts'.length));
    expect(types.filter((file) => !built.includes(file))).toEqual([]);
    expect(types.length).toBeLessThan(built.length / 4);
  });

  test.each(['sqlite', 'postgresql', 'sqlserver'])('has the schema and the migrations of %s', (provider) => {
    const names = filesOf(join(root, 'prisma'));
    expect(names).toContain(`schema.${provider}.prisma`);
    expect(names.filter((name) => name.startsWith(`migrations/${provider}/`))).not.toEqual([]);
  });

  test.each(['schema.graphql', 'possibleTypes.json', 'introspection.json'])('resolves %s by its name', (name) => {
    expect(createRequire(join(root, 'package.json')).resolve(`parley/${name}`)).toBe(realpathSync(join(root, name)));
  });

  test('contains no file of another build', () => {
    expect(filesOf(root)).not.toContain(LEFTOVER);
  });
});

describe('dependencies', () => {
  const manifest = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as Record<string, object>;

  test('are exactly the packages that dist imports', () => {
    const modules = filesOf(root).filter((file) => file.endsWith('.js'));
    const imported = modules.flatMap((file) => moduleGraph(join(root, file)).packages);
    const { dependencies, optionalDependencies, peerDependencies } = manifest;
    expect([...new Set(imported)].sort()).toEqual(
      Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).sort(),
    );
  });

  test.each(['parley', 'context'])('of the types of %s are the library only', (entry) => {
    const { packages, builtins, files } = moduleGraph(join(root, `dist/exports/${entry}.d.ts`));
    expect({ packages, builtins }).toEqual({ packages: ['@parley/context'], builtins: [] });
    // The server's options use the types of limits, and the viewer those of rows.
    const options = entry === 'parley' ? ['generated/tables.d.ts', 'limits/limits.d.ts'] : [];
    const internal = files.filter((file) => /\/dist\/(generated|database|graphql|http|limits)\//.test(file));
    expect(internal.sort()).toEqual(options.map((file) => join(root, 'dist', file)));
  });

  test("of the types of prisma are Prisma's client only", () => {
    const { packages, files } = moduleGraph(join(root, 'dist/exports/prisma.d.ts'));
    expect(packages).toEqual(['@prisma/client']);
    expect(files.filter((file) => !/\/dist\/(exports|features\/prisma|generated\/sqlite)\//.test(file))).toEqual([]);
  });
});

describe('parley/context', () => {
  test('is the library, which the tarball bundles with its dependencies', () => {
    const { files, packages, builtins } = moduleGraph(join(root, 'dist/exports/context.js'));
    expect(files).toEqual([join(root, 'dist/exports/context.js')]);
    expect({ packages, builtins }).toEqual({ packages: ['@parley/context'], builtins: [] });
    const bundled = readdirSync(join(root, 'node_modules'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    expect(bundled.map(({ name }) => name).sort()).toEqual([
      ...[
        '@joplin',
        '@mixmark-io',
        '@parley',
        '@toon-format',
        'argparse',
        'chardet',
        'dom-serializer',
        'domelementtype',
      ],
      ...['domhandler', 'domutils', 'entities', 'htmlparser2', 'linkify-it', 'markdown-it', 'p-limit', 'pend'],
      ...['punycode.js', 'smol-toml', 'turndown', 'uc.micro', 'uuid', 'yauzl', 'yocto-queue'],
    ]);
  });

  test('runs in a runtime with only fetch and crypto', async () => {
    const server = await createServer({ databaseUrl: temporaryDatabaseUrl(), port: 0 });
    const url = await server.start();
    try {
      const { answer, loaded } = await runBare('bare-agent.js', url);
      const messages = [
        { id: 'q1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
        { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Good day' }] },
      ];
      const prompts: [string, number][] = [
        ['<role>You are helpful.</role>', 20],
        ['## role\n\nYou are helpful.', 19],
        ['role = "You are helpful."', 19],
        ['role: You are helpful.', 18],
      ];
      expect(answer).toEqual(
        prompts.map(([systemPrompt, estimatedTokens]) => ({
          systemPrompt,
          messages,
          summary: null,
          omittedMessages: 0,
          estimatedTokens,
        })),
      );
      const packages = loaded.flatMap((file) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
      expect([...new Set(packages)].filter((name) => !BELOW.test(name)).sort()).toEqual(PACKAGES);
    } finally {
      await server.stop();
    }
  });

  /** The result of an agent's default export, and the loaded files: see bare-runtime.mjs. */
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

test('importing parley has no side effects', async () => {
  const cwd = temporaryFolder();
  const entry = pathToFileURL(join(root, 'dist/exports/parley.js')).href;
  const script = `import * as parley from ${JSON.stringify(entry)}; process.exitCode = Object.keys(parley).length`;
  // The process ends by itself: it has no listener or timer.
  expect(await run(process.execPath, ['--input-type=module', '-e', script], cwd)).toEqual({
    code: 7,
    stdout: '',
    stderr: '',
  });
  expect(readdirSync(cwd)).toEqual([]);
});
