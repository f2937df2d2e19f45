/**
 * `npm run mutate -- FOLDER`: puts a sample of small faults into the sources of a folder, one at a time, and lists those that
 * the tests of `npm test` on SQLite miss. See docs/testing.md.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { globSync } from 'tinyglobby';
import { testsOf, updateCoverage } from './coverage.js';
import { isMutable, mutantsOf, type Mutant } from './mutants.js';
import { runVitest } from './run-vitest.js';

/** A mutant that no test can notice. */
type Equivalent = Pick<Mutant, 'file' | 'source' | 'change'> & { reason: string };
type Verdict = 'killed' | 'survived' | 'not covered' | 'equivalent';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '120' },
    fresh: { type: 'boolean', default: false },
  },
});
if (positionals.length === 0) {
  console.error('npm run mutate -- FOLDER… [--sample 60] [--seed 1] [--seconds 120] [--fresh]');
  process.exit(1);
}
const limited = pLimit(2);
// Ends the processes of the tests, too.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const files = globSync(positionals.flatMap((path) => [path, join(path, '**/*.{ts,tsx}')]))
  .filter(isMutable)
  .sort();
const mutants = files.flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')));
const sample = sampled(mutants, Number(values.sample));
const equivalents = JSON.parse(readFileSync('test/mutation/equivalent.json', 'utf8')) as Equivalent[];
const coverage = await updateCoverage(values.fresh);

const counts: Record<Verdict, number> = { killed: 0, survived: 0, 'not covered': 0, equivalent: 0 };
await Promise.all(
  sample.map((mutant) =>
    limited(async () => {
      const [verdict, reason] = await judge(mutant);
      counts[verdict]++;
      console.log(`${verdict.padEnd(11)}  ${mutant.file}:${mutant.line}  ${mutant.change}  (${reason})`);
    }),
  ),
);
console.log(`\n${positionals.join(' ')}: a sample of ${sample.length} of ${mutants.length} mutants`);
console.table(counts);
console.log(`${Math.round((100 * counts.killed) / (sample.length - counts.equivalent))} % killed`);

async function judge(mutant: Mutant): Promise<[Verdict, string]> {
  const { file, source, change } = mutant;
  const same = equivalents.find((other) => other.file === file && other.source === source && other.change === change);
  if (same !== undefined) return ['equivalent', same.reason];
  const { tests, isExact } = testsOf(coverage, mutant);
  let ms = 0;
  const run = tests.filter((path, place) => (ms += coverage[path]!.ms) <= Number(values.seconds) * 1000 || place === 0);
  const passed: [Verdict, string] = [
    isExact ? 'survived' : 'not covered',
    `${run.length} of ${tests.length} test files`,
  ];
  if (run.length === 0) return passed;
  // Endless loops and crashes have no failed tests. A slow machine may cause them, but not twice.
  for (let attempt = 0; attempt < 2; attempt++) {
    const { isPassing, failed } = await runVitest(run, mutant, 60_000 + 5 * ms);
    if (isPassing) return passed;
    if (failed.length > 0) return ['killed', failed.join(' ')];
  }
  return ['killed', 'time limit or crash'];
}

/** The same mutants for the same seed, also after changes of other lines. */
function sampled(all: Mutant[], size: number): Mutant[] {
  const seen = new Map<string, number>();
  const ordered = all.map((mutant): [string, Mutant] => {
    const key = [values.seed, mutant.file, mutant.source, mutant.change].join('\n');
    const repeats = (seen.get(key) ?? 0) + 1;
    seen.set(key, repeats);
    return [createHash('sha256').update(`${key}\n${repeats}`).digest('hex'), mutant];
  });
  ordered.sort(([a], [b]) => (a < b ? -1 : 1));
  return ordered.slice(0, size).map(([, mutant]) => mutant);
}
