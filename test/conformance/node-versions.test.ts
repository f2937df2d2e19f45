/**
 * The suites of the packages on the versions of Node that follow the oldest supported one, and the PostgreSQL suite on the newest.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../package/packed.js';
import { run } from '../package/run.js';

const VITEST = join(PROJECT, 'node_modules/vitest/vitest.mjs');
const CONFIG = join(PROJECT, 'test/conformance/node-versions.config.ts');

/** npm has one package per platform; only the one for Linux on x64 is installed. */
const nodeOf = (version: number) => join(import.meta.dirname, `node_modules/node-${version}/bin/node`);

// Both at once: each has one worker, and they end last.
test.skipIf(!existsSync(nodeOf(22))).concurrent.each<[version: number, projects: string[]]>([
  [22, ['packages']],
  [24, ['packages', 'postgresql']],
])('on Node %i, the suites pass: %s', async (version, projects) => {
  const node = nodeOf(version);
  expect((await run(node, ['--version'], PROJECT)).stdout).toMatch(new RegExp(`^v${version}\\.`));
  // The outer run writes the report file.
  const env = { TEST_REPORT: undefined };
  const args = [VITEST, 'run', '--config', CONFIG, ...projects.flatMap((name) => ['--project', name])];
  const { code, stdout, stderr } = await run(node, args, PROJECT, env);
  expect({ code, printed: code === 0 ? '' : (stdout + stderr).slice(-20_000) }).toEqual({ code: 0, printed: '' });
});
