import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { TSC } from '../support/type-faults.js';
import { npmInstall } from './npm-install.js';
import { packAll, PROJECT } from './packed.js';
import { prebuiltSqlite } from './prebuilt-sqlite.js';
import { outputOf, run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'parley-install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A project that uses the package. */
const project = join(folder, 'consumer');
/** The reason why the package cannot be installed on this machine. */
let missing: string | undefined;

beforeAll(async () => {
  cpSync(fileURLToPath(new URL('consumer', import.meta.url)), project, { recursive: true });
  // From version 12 on, npm runs install scripts only of packages that a project has approved.
  const manifest = { name: 'consumer', private: true, type: 'module', allowScripts: { 'better-sqlite3': true } };
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  const sqlite = await prebuiltSqlite(join(folder, 'prebuilt'));
  const tarball = await packAll(join(folder, 'parley'));
  ({ missing } = await npmInstall(['npm', 'install', tarball('parley')], project, sqlite));
});

beforeEach(({ skip }) => {
  skip(missing !== undefined, missing);
});

test('the package is installed with its dependencies, and without development dependencies', () => {
  const has = (name: string) => existsSync(join(project, 'node_modules', name));
  expect(['parley', 'better-sqlite3', 'graphql', 'parley/node_modules/@parley/context'].map(has)).not.toContain(false);
  expect(['vitest', 'rolldown', '@prisma/client', 'prisma', 'playwright-core'].map(has)).not.toContain(true);
});

test('parley start runs the server, which stops on SIGTERM', async () => {
  const server = spawn(join(project, 'node_modules/.bin/parley'), ['start'], {
    cwd: project,
    env: { PATH: process.env['PATH'], DATABASE_URL: ':memory:', PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    if (server.exitCode === null) server.kill('SIGKILL');
  });
  const ended = once(server, 'close');
  server.stdout.once('data', () => server.kill('SIGTERM'));
  expect(await text(server.stdout)).toMatch(/^Parley is ready/);
  expect(await ended).toEqual([0, null]);
});

test('the program runs by its path', async () => {
  const program = join(project, 'node_modules/.bin/parley');
  expect(await outputOf(program, ['--version'], project)).toBe('0.1.0\n');
});

describe('the types', () => {
  test.each([
    ['ES modules on Node', 'tsconfig.json'],
    ['bundlers', 'tsconfig.bundler.json'],
    ['browsers, those of parley/context', 'tsconfig.browser.json'],
  ])('are valid for %s, including the declarations', async (_, config) => {
    // Projects choose the version of Node's types.
    const options = ['--project', config, '--typeRoots', join(PROJECT, 'node_modules/@types')];
    expect(await run(process.execPath, [TSC, ...options], project)).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe.each(['in-process', 'remote'])('an example of rewinding, %s', (where) => {
  test('regenerate: another answer to the same question, on a separate branch', async () => {
    const question = { id: 'q1', role: 'user', parts: [{ type: 'text', text: 'What is 2 + 2?' }] };
    expect(await answerOf('regenerate.js', where)).toEqual({
      answer: '4',
      branch: {
        id: expect.any(String) as string,
        name: 'main-v2',
        headMessageId: 'q1',
        isActive: true,
        messageCount: 1,
        createdAt: expect.any(Number) as number,
      },
      calls: [
        { system: '<role>You are helpful.</role>', messages: [question] },
        {
          system: '<role>You are helpful.</role>\n<hint>Double-check your arithmetic.</hint>',
          messages: [question],
          temperature: 0.9,
        },
      ],
      entries: {
        main: ['user: What is 2 + 2?', 'assistant: 5'],
        'main-v2': ['user: What is 2 + 2?', 'assistant: 4'],
      },
      original: 'a1',
    });
  });
});

test('a CommonJS module can require both entries, if Node supports it', async () => {
  const script = "console.log(Object.keys(require('parley')).join(), typeof require('parley/context').ContextEngine)";
  const output = await outputOf(process.execPath, ['--no-warnings', '--input-type=commonjs', '-e', script], project);
  expect(output).toBe(
    'InMemoryContextStore,PostgresContextStore,SqlServerContextStore,SqliteContextStore,createServer,createTestServer,openContextStore function\n',
  );
});

/** The JSON output of a program of the consumer. */
async function answerOf(program: string, ...args: string[]): Promise<unknown> {
  return JSON.parse(await outputOf(process.execPath, [program, ...args], project));
}
