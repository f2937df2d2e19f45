/** The commands of the READMEs, from a clone to a program that runs on the packed packages. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { writeZip } from '../features/imports/zips/write-zip.js';
import { npmInstall } from './npm-install.js';
import { cloneProject, PROJECT } from './packed.js';
import { prebuiltSqlite } from './prebuilt-sqlite.js';
import { outputOf, run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'parley-pack-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const clone = join(folder, 'parley');
const project = join(folder, 'project');

/** The commands of a README: in the clone, without `npm ci`, and in a project. */
function commandsOf(readme: string) {
  const [, block = ''] = /```sh\n([^]*?)```/.exec(readme) ?? [];
  const [inClone = '', inProject = ''] = block.split('\n\n');
  return { inClone: inClone.replace(/^npm ci\n/m, ''), inProject };
}
const programOf = (readme: string) => /```ts\n([^]*?)```/.exec(readme)?.[1] ?? '';
const readmes = Object.fromEntries(
  ['client', 'context', 'interchange'].map((name) => [
    name,
    readFileSync(join(PROJECT, 'packages', name, 'README.md'), 'utf8'),
  ]),
);

beforeAll(async () => {
  await cloneProject(clone);
  const [command] = new Set(Object.values(readmes).map((readme) => commandsOf(readme).inClone));
  await outputOf('sh', ['-ec', command!], clone);
});

test('npm run pack writes a tarball of each package', () => {
  const names = [
    'parley-0.1.0.tgz',
    'parley-client-0.1.0.tgz',
    'parley-context-0.1.0.tgz',
    'parley-interchange-0.1.0.tgz',
  ];
  expect(readdirSync(join(clone, 'packed')).sort()).toEqual(names);
});

const LIBRARIES = ['client', 'context', 'interchange'];

test.each(LIBRARIES)('the tarball of %s contains built modules and names no sources', async (name) => {
  const tarball = join(clone, 'packed', `parley-${name}-0.1.0.tgz`);
  const files = (await outputOf('tar', ['-tzf', tarball], clone)).trim().split('\n');
  expect(files.filter((file) => !/^package\/(dist\/|[^/]+$)/.test(file))).toEqual([]);
  const manifest = await outputOf('tar', ['-xzOf', tarball, 'package/package.json'], clone);
  expect(manifest).toContain('"default": "./dist/');
  expect(manifest).not.toContain('@parley/source');
});

test('the manifests of the packages that the server bundles name no sources', async () => {
  const tarball = join(clone, 'packed', 'parley-0.1.0.tgz');
  const folder = 'package/node_modules/@parley';
  const manifests = ['context', 'interchange'].map((name) => `${folder}/${name}/package.json`);
  expect(await outputOf('tar', ['-xzOf', tarball, ...manifests], clone)).not.toContain('@parley/source');
});

test('the tarball of the server has less than 3 MiB, and no tests of the packages that it bundles', async () => {
  const tarball = join(clone, 'packed', 'parley-0.1.0.tgz');
  const files = (await outputOf('tar', ['-tzf', tarball], clone)).split('\n');
  expect(files.filter((file) => /\/tests?\//.test(file))).toEqual([]);
  expect(statSync(tarball).size).toBeLessThan(3 * 1024 ** 2);
});

test.each(LIBRARIES)('packing leaves the manifest of %s unchanged', (name) => {
  const manifestIn = (folder: string) => readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8');
  expect(manifestIn(clone)).toBe(manifestIn(PROJECT));
});

describe('in an empty folder', () => {
  let missing: string | undefined;

  beforeAll(async () => {
    mkdirSync(project);
    const sqlite = await prebuiltSqlite(join(folder, 'prebuilt'));
    const manifest = { private: true, type: 'module', allowScripts: { 'better-sqlite3': true } };
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    const server = 'npm install ../parley/packed/parley-0.1.0.tgz';
    const commands = [server, ...Object.values(readmes).map((readme) => commandsOf(readme).inProject)];
    ({ missing } = await npmInstall(['sh', '-ec', commands.join('\n')], project, sqlite));
  });

  test('the programs of the READMEs run on the installed server', async ({ skip }) => {
    skip(missing !== undefined, missing);
    const installed = join(project, 'node_modules/parley');
    const { url } = await startServer({ DATABASE_URL: temporaryDatabaseUrl() }, {}, undefined, installed);
    const printed = async (name: string, before = '', after = '') => {
      const program = programOf(readmes[name]!).replace('http://127.0.0.1:4000/graphql', url);
      writeFileSync(join(project, `${name}.js`), `${before}${program}${after}`);
      return outputOf(process.execPath, [`${name}.js`], project);
    };
    expect(await printed('context')).toContain('<role>You are a travel guide.</role>');
    // Node 20 has no global WebSocket, and an open store keeps a program running.
    const socket = "import { WebSocket } from 'ws';\nglobalThis.WebSocket ??= WebSocket;\n";
    const thread = await printed('client', socket, 'store.close();\nparley.close();\n');
    expect(thread).toContain('What do we eat there?');
  });

  test('@parley/client has the contract of the server', ({ skip }) => {
    skip(missing !== undefined, missing);
    const contractOf = (name: string) => readFileSync(join(project, 'node_modules', name, 'schema.graphql'), 'utf8');
    expect(contractOf('@parley/client')).toBe(contractOf('parley'));
  });
});

test('@parley/interchange can be installed alone, and converts a zip as its README shows', async ({ skip }) => {
  const alone = join(folder, 'alone');
  mkdirSync(alone);
  writeFileSync(join(alone, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const install = await run('sh', ['-ec', commandsOf(readmes['interchange']!).inProject], alone, {
    npm_config_audit: 'false',
    npm_config_prefer_offline: 'true',
  });
  skip(install.stderr.includes('ENOTCACHED'), "npm's registry cannot be reached");
  expect(install).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(join(alone, 'node_modules/@parley'))).toEqual(['interchange']);
  const sample = readFileSync(join(PROJECT, 'test/features/imports/readers/samples/chatgpt.json'));
  writeFileSync(join(alone, 'chatgpt-export.zip'), writeZip({ 'conversations.json': sample }));
  writeFileSync(join(alone, 'convert.js'), programOf(readmes['interchange']!));
  const printed = await outputOf(process.execPath, ['convert.js'], alone);
  expect(printed).toMatch(/^\d+ conversations, \d+ messages \[ 'ChatGPT' \]\n/);
  expect(readFileSync(join(alone, 'chats.md'), 'utf8')).toMatch(/^# /);
});

describe('npm publish', () => {
  const publish = (part: string) =>
    run('npm', ['publish', '--dry-run', '--registry=http://127.0.0.1:9'], join(clone, part));
  const parts = ['.', 'packages/client', 'packages/context', 'packages/interchange'];

  test.each(parts)('refuses %s if the commit lacks the tag of the version', async (part) => {
    const { code, stderr } = await publish(part);
    expect(code).not.toBe(0);
    expect(stderr).toContain('is published only from a clean commit with the tag v0.1.0');
  });

  test('accepts a clean commit with the tag of the version, and refuses a change of it', async () => {
    const git = (...args: string[]) =>
      outputOf('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args], clone);
    const guard = () => run(process.execPath, ['scripts/packing/prepublish.mjs'], clone);
    await git('init', '--quiet');
    await git('add', '--all');
    await git('commit', '--quiet', '--message=Release');
    expect(await guard()).toMatchObject({ code: 1 });
    await git('tag', 'v0.1.0');
    expect(await guard()).toEqual({ code: 0, stdout: '', stderr: '' });
    writeFileSync(join(clone, 'schema.graphql'), '');
    expect(await guard()).toMatchObject({ code: 1 });
  });
});
