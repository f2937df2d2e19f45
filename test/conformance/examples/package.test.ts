/** Checks the packages from `npm pack` with tools for packages. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packAll, packProject } from '../../package/packed.js';

const folder = mkdtempSync(join(tmpdir(), 'parley-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The modules and files of each package. */
const PACKAGES = [
  {
    name: 'parley',
    part: '.',
    modules: ['.', './context', './prisma'],
    files: ['./schema.graphql', './possibleTypes.json', './introspection.json', './package.json'],
  },
  {
    name: '@parley/client',
    part: 'packages/client',
    modules: [
      ...['.', './tree', './writer', './zustand', './react', './chats', './operations', './initial-state', './outbox'],
      ...['./ai', './use-parley-chat', './assistant-ui', './apollo', './urql', './relay', './transfer', './files'],
    ],
    files: ['./schema.graphql', './package.json'],
  },
  {
    name: '@parley/context',
    part: 'packages/context',
    modules: ['.', './answer', './server'],
    files: ['./package.json'],
  },
  {
    name: '@parley/interchange',
    part: 'packages/interchange',
    modules: ['.', './limits', './server'],
    files: ['./package.json'],
  },
];

describe.each(PACKAGES)('$name', ({ name, part, modules, files }) => {
  let tarball: Buffer<ArrayBuffer>;
  beforeAll(async () => {
    const empty = join(folder, name.replace('/', '-'));
    mkdirSync(empty);
    // test/package/exports.long.test.ts packs the server alone.
    const path = part === '.' ? (await packAll(join(empty, 'parley')))('parley') : await packProject(empty, part);
    tarball = readFileSync(path);
  });

  test('publint reports nothing', async () => {
    const pack = { tarball: new Uint8Array(tarball).buffer };
    const { messages, pkg } = await publint({ pack, level: 'suggestion' });
    expect(messages.map((message) => `${message.type}: ${formatMessage(message, pkg, { color: false })}`)).toEqual([]);
  });

  test('ES modules and bundlers find the types, which match the code', async () => {
    const result = await checkPackage(createPackageFromTarballData(tarball));
    if (!result.types) throw new Error('The package has no types');
    expect(Object.keys(result.entrypoints)).toEqual([...modules, ...files]);
    // The packages contain ES modules only. TypeScript's node10 ignores exports; CommonJS modules need import(), or a
    // Node that can require ES modules. The contract is a text file, not a module.
    const problems = result.problems.filter(
      (each) => !('entrypoint' in each) || each.entrypoint !== './schema.graphql',
    );
    expect(problems).toEqual(
      modules.flatMap((entrypoint) => [
        { kind: 'NoResolution', entrypoint, resolutionKind: 'node10' },
        { kind: 'CJSResolvesToESM', entrypoint, resolutionKind: 'node16-cjs' },
      ]),
    );
  });
});
