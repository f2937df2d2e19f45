/**
 * `npm run fuzz -- cost`: searches for the operations that delay other users most. It composes operations from the
 * schema, sends each as an ordinary user of a server with production limits, measures the delay of other users, and
 * varies the worst ones. A number sets the minutes; `postgresql` selects that database; `TEST_SEED` repeats the
 * operations of a seed. It only prints results; limits belong in a test.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresql, whyNoPostgresql } from '../../support/database/embedded-postgresql.js';
import { Choices } from './choices.js';
import { hunt } from './hunt.js';
import { printFinds } from './report.js';
import { writeShapes } from './shapes.js';
import { TrialRunner } from './trial.js';
import { startVictims, type Victims } from './victims.js';

const MINUTES = 2;
const MINUTE_MS = 60_000;

const words = process.argv.slice(2);
const [minutes = MINUTES] = words.map(Number).filter(Number.isFinite);
const isPostgresql = words.includes('postgresql');
const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));

async function continueSearch(databaseUrl: string, victims: Victims): Promise<void> {
  await writeShapes(databaseUrl);
  const runner = await TrialRunner.open(databaseUrl, victims);
  try {
    printFinds(await hunt(runner, new Choices(seed), minutes * MINUTE_MS), runner.quiet);
  } finally {
    await runner.close();
  }
}

console.log(`TEST_SEED=${seed}, ${minutes} minutes on ${isPostgresql ? 'PostgreSQL' : 'SQLite'}\n`);
const victims = await startVictims();
try {
  if (isPostgresql) {
    const why = whyNoPostgresql();
    if (why !== null) throw new Error(why);
    const postgresql = await startPostgresql();
    await continueSearch(postgresql.url, victims).finally(() => postgresql.remove());
  } else {
    const folder = mkdtempSync(join(tmpdir(), 'parley-cost-'));
    await continueSearch(`file:${join(folder, 'parley.db')}`, victims).finally(() =>
      rmSync(folder, { recursive: true }),
    );
  }
} finally {
  victims.stop();
}
