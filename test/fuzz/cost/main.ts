/**
 * `npm run fuzz -- cost`: searches for the operations that delay other users most. It first runs the known attacks, and
 * then composes operations from the schema, sends each as an ordinary user of a server with production limits, measures
 * the delay of other users, and varies the worst ones. `--attacks` runs only the known attacks; `--minutes N` sets the
 * duration of the search; `--database sqlite` or `postgresql` selects one database; `--heap MIB` sets the heap of the server;
 * `TEST_SEED` repeats the operations of a seed. It fails if an operation exceeds a bound: see bounds.ts.
 */
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgresql, whyNoPostgresql } from '../../support/database/embedded-postgresql.js';
import { Choices } from './choices.js';
import { hunt, isExcess } from './hunt.js';
import { runKnownAttacks } from './known-attacks/run-attacks.js';
import { printFinds } from './report.js';
import { DEFAULT_HEAP_MIB } from './server.js';
import { writeShapes } from './shapes.js';
import { TrialRunner } from './trial.js';
import { startVictims } from './victims.js';

const MINUTE_MS = 60_000;

const { values } = parseArgs({
  // After `cost`.
  args: process.argv.slice(3),
  options: {
    attacks: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '2' },
    database: { type: 'string' },
    heap: { type: 'string', default: String(DEFAULT_HEAP_MIB) },
  },
});
const minutes = Number(values.minutes);
const databases = values.database === undefined ? ['sqlite', 'postgresql'] : [values.database];
const seed = Number(process.env['TEST_SEED'] ?? randomInt(2 ** 31));

/** Runs on a new database, and removes it. */
async function onDatabase<T>(database: string, run: (url: string) => Promise<T>): Promise<T> {
  if (database === 'postgresql') {
    const why = whyNoPostgresql();
    if (why !== null) throw new Error(why);
    const postgresql = await startPostgresql();
    try {
      return await run(postgresql.url);
    } finally {
      await postgresql.remove();
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'parley-cost-'));
  return run(`file:${join(folder, 'parley.db')}`).finally(() => rmSync(folder, { recursive: true }));
}

/** @returns whether all bounds held */
async function search(databaseUrl: string): Promise<boolean> {
  await writeShapes(databaseUrl);
  const victims = await startVictims();
  try {
    const runner = await TrialRunner.open(databaseUrl, Number(values.heap), victims);
    try {
      const finds = await hunt(runner, new Choices(seed), minutes * MINUTE_MS);
      printFinds(finds, runner.quiet);
      return !finds.some(isExcess);
    } finally {
      await runner.close();
    }
  } finally {
    victims.stop();
  }
}

let isBounded = true;
for (const database of databases) {
  console.log(`\nKnown attacks on ${database}:\n`);
  isBounded = (await onDatabase(database, runKnownAttacks)) && isBounded;
  if (values.attacks) continue;
  console.log(`\nTEST_SEED=${seed}, ${minutes} minutes on ${database}:\n`);
  isBounded = (await onDatabase(database, search)) && isBounded;
}
if (!isBounded) process.exitCode = 1;
