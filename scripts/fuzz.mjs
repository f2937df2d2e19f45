/**
 * `npm run fuzz`: runs the property tests on new random values and samples, round after round, until one fails; `npm run
 * fuzz -- 3` runs three rounds. Each round prints its seed: with it as `TEST_SEED`, `TEST_ALL=true npm run test:long` uses the same values.
 * `npm run fuzz -- cost` and `-- imports` are separate: see test/fuzz/cost/main.ts and test/fuzz/imports/main.ts.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { globSync } from 'tinyglobby';

const [, , name] = process.argv;
if (name === 'cost' || name === 'imports') {
  await import('./typescript.mjs');
  await import(`../test/fuzz/${name}/main.ts`);
  process.exit();
}

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const [rounds = Infinity] = process.argv.slice(2).map(Number);
if (!(rounds > 0)) {
  console.error('How many rounds must be a number above 0.');
  process.exit(1);
}

const files = globSync('test/**/*.test.ts', { ignore: 'test/conformance/**' }).filter((path) =>
  /fc\.assert\(|sampled\(/.test(readFileSync(path, 'utf8')),
);

for (let round = 1; round <= rounds; round++) {
  const seed = randomInt(2 ** 31);
  console.log(`Round ${round}: TEST_SEED=${seed}`);
  const child = spawn(
    process.execPath,
    [vitest, 'run', '--config', 'vitest.long.config.ts', '--reporter', 'dot', ...files],
    {
      env: { ...process.env, TEST_ALL: 'true', TEST_SEED: String(seed) },
      stdio: 'inherit',
    },
  );
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exit(code ?? 1);
}
