/** The tests of docs/clients/testing.md run in Vitest with jsdom and in Jest, with the packages from `npm run pack`. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packAll, PROJECT, unpack } from '../../package/packed.js';
import { outputOf, run } from '../../package/run.js';

const DOCUMENT = readFileSync(new URL('../../../docs/clients/testing.md', import.meta.url), 'utf8');
const INSTALLED = join(import.meta.dirname, '../node_modules');

const folder = mkdtempSync(join(tmpdir(), 'parley-testing-'));
const project = join(folder, 'application');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Unpacks a package without dependencies of its own. */
async function unpackInto(tarball: string, target: string): Promise<void> {
  mkdirSync(target, { recursive: true });
  await outputOf('tar', ['-xzf', tarball, '--strip-components=1', '-C', target], folder);
}

beforeAll(async () => {
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, '@parley'), { recursive: true });
  const tarball = await packAll(join(folder, 'parley'));
  const own = join(folder, 'server.tgz');
  symlinkSync(tarball('parley'), own);
  renameSync(await unpack(own), join(modules, 'parley'));
  await unpackInto(tarball('parley-client'), join(modules, '@parley/client'));
  await unpackInto(tarball('parley-context'), join(modules, '@parley/context'));
  // Vitest resolves jsdom from its own folder.
  cpSync(join(PROJECT, 'node_modules/vitest'), join(modules, 'vitest'), { recursive: true });
  for (const from of [INSTALLED, join(PROJECT, 'node_modules')]) {
    for (const name of readdirSync(from)) {
      if (!existsSync(join(modules, name))) symlinkSync(join(from, name), join(modules, name));
    }
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'application', private: true, type: 'module' }));
  for (const [, name = '', code = ''] of DOCUMENT.matchAll(/```js\n\/\/ (\S+)\n([^]*?)```/g)) {
    writeFileSync(join(project, name), code);
  }
});

test.each([
  ['Vitest', ['node_modules/vitest/vitest.mjs', 'run'], 'Tests  2 passed'],
  [
    'Jest',
    ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testPathPatterns', 'chat.test'],
    'Tests:       1 passed',
  ],
])('%s runs the documented tests', async (_, args, summary) => {
  const env = { NO_COLOR: '1', FORCE_COLOR: undefined, TEST_REPORT: undefined };
  const { code, stdout, stderr } = await run('node', args, project, env);
  expect({ code, printed: stdout + stderr }).toEqual({ code: 0, printed: expect.stringContaining(summary) });
});
