/** The PostgreSQL suite and the suites of the packages, on the versions of Node that follow the oldest supported one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../package/packed.js';
import { run } from '../package/run.js';

const VITEST = join(PROJECT, 'node_modules/vitest/vitest.mjs');
const CONFIG = join(PROJECT, 'test/conformance/node-versions.config.ts');
const TIMEOUT_MS = 30 * 60_000;

/** npm has one package per platform; only the one for Linux on x64 is installed. */
const nodeOf = (version: number) => join(import.meta.dirname, `node_modules/node-${version}/bin/node`);

test.skipIf(!existsSync(nodeOf(22))).each([22, 24])(
  'the suites pass on Node %i',
  async (version) => {
    const node = nodeOf(version);
    expect((await run(node, ['--version'], PROJECT)).stdout).toMatch(new RegExp(`^v${version}\\.`));
    // The outer run writes the report file.
    const env = { TEST_REPORT: undefined };
    const { code, stdout, stderr } = await run(node, [VITEST, 'run', '--config', CONFIG], PROJECT, env, TIMEOUT_MS);
    expect({ code, printed: code === 0 ? '' : (stdout + stderr).slice(-20_000) }).toEqual({ code: 0, printed: '' });
  },
  TIMEOUT_MS,
);
