/**
 * `npm run fuzz -- imports`: changes the samples of all formats, and compares their texts with the conversations that are
 * read. `--minutes N` sets the duration; `TEST_SEED` repeats the changes of a seed. It fails with the first changed files that
 * break a rule: see rules.ts.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Choices } from '../cost/choices.js';
import { changed } from './changes.js';
import { markedSamples } from './marked-sample.js';
import { brokenRules } from './rules.js';

const MINUTE_MS = 60_000;
/** Changed files that are kept. */
const MAX_FINDS = 20;

const { values } = parseArgs({
  // After `imports`.
  args: process.argv.slice(3),
  options: { minutes: { type: 'string', default: '2' } },
});
const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));
const choices = new Choices(seed);
const samples = await markedSamples();
const folder = mkdtempSync(join(tmpdir(), 'parley-imports-'));

console.log(`TEST_SEED=${seed}, ${values.minutes} minutes on ${samples.length} samples`);
const end = Date.now() + Number(values.minutes) * MINUTE_MS;
let [files, finds] = [0, 0];
const seen = new Set<string>();
while (Date.now() < end && finds < MAX_FINDS) {
  const file = changed(samples, choices);
  const broken = await brokenRules(file);
  files++;
  for (const rule of broken) {
    const kind = `${file.change} of ${file.names.join(' and ')}: ${rule.name}`;
    if (seen.has(kind)) continue;
    seen.add(kind);
    finds++;
    const path = join(folder, `${finds}-${file.names.join('-')}`);
    writeFileSync(path, file.bytes);
    console.log(`${finds}. ${kind}\n   ${rule.detail}\n   ${path}`);
  }
}
console.log(`${files} changed files, ${finds} finds.`);
process.exitCode = finds > 0 ? 1 : 0;
