/**
 * `npm run bench -- peers`: compares Parley with the library that its contract comes from, called in its own process,
 * and with PostGraphile on Parley's tables. All have the same rows, and take turns.
 */
import { join } from 'node:path';
import { startPostgresql } from '../support/database/embedded-postgresql.js';
import { mediansOfTurns } from './measuring/measure.js';
import { vacuum } from './measuring/postgresql.js';
import { installPeers, versions } from './peers/install.js';
import { withOriginal } from './peers/original.js';
import { withParley } from './peers/parley.js';
import { withPostgraphile } from './peers/postgraphile.js';
import { writeRows } from './peers/rows.js';
import { TASKS, type Subject, type Task, type TaskName } from './peers/tasks.js';

/** Repetitions of a task in a turn. */
const TURN = 5;

type Subjects = Record<'parley' | 'original' | 'parleyPg' | 'originalPg' | 'postgraphile', Subject>;

/** Prints a table. @param folder for databases */
export async function comparePeers(folder: string): Promise<void> {
  const node = installPeers();
  const path = (name: string) => join(folder, `${name}.db`);
  const postgresql = await startPostgresql([]);
  try {
    const { url } = postgresql;
    for (const size of ['small', 'large'] as const) {
      await writeRows(`file:${path(size)}`, size);
      await writeRows(`${url}?schema=${size}`, size);
    }
    const copies = (to: (size: string) => { file: string } | { url: string; schema: string }) => ({
      small: { from: path('small'), ...to('small') },
      large: { from: path('large'), ...to('large') },
    });
    const sqliteCopies = copies((size) => ({ file: path(`original-${size}`) }));
    const postgresqlCopies = copies((size) => ({ url, schema: `original_${size}` }));
    await withParley({ small: `file:${path('small')}`, large: `file:${path('large')}` }, (parley) =>
      withParley({ small: `${url}?schema=small`, large: `${url}?schema=large` }, (parleyPg) =>
        withOriginal(node, sqliteCopies, (original) =>
          withOriginal(node, postgresqlCopies, (originalPg) =>
            withPostgraphile(node, url, { small: 'small', large: 'large' }, async (postgraphile) => {
              await vacuum(url);
              await printTable({ parley, original, parleyPg, originalPg, postgraphile });
            }),
          ),
        ),
      ),
    );
  } finally {
    await postgresql.remove();
  }
}

async function printTable(subjects: Subjects): Promise<void> {
  console.log(
    `Parley on Node ${process.version}; @deepagents/context ${versions['@deepagents/context']} and PostGraphile`,
  );
  console.log(`${versions['postgraphile']} on Node 24. Milliseconds, medians; a ratio above 1 is Parley's loss.\n`);
  console.log(
    '| | Parley, SQLite | original, SQLite | ratio | Parley, PostgreSQL | original, PostgreSQL | ratio | PostGraphile | ratio |',
  );
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const [name, task] of Object.entries<Task>(TASKS) as [TaskName, Task][]) {
    for (const [subject, { answer }] of Object.entries(subjects)) await check(subject, name, answer);
    const turn = (subject: Subject) => () => subject.times(name, TURN);
    const { parley, original, parleyPg, originalPg, postgraphile } = subjects;
    const times = await mediansOfTurns(
      {
        parley: turn(parley),
        original: turn(original),
        parleyPg: turn(parleyPg),
        originalPg: turn(originalPg),
        postgraphile: turn(postgraphile),
      },
      task.rounds,
      2,
    );
    const cells = [
      ...[ms(times.parley), ms(times.original), ratio(times.parley, times.original)],
      ...[ms(times.parleyPg), ms(times.originalPg), ratio(times.parleyPg, times.originalPg)],
      ...[ms(times.postgraphile), ratio(times.parleyPg, times.postgraphile)],
    ];
    console.log(`| ${task.what} | ${cells.join(' | ')} |`);
  }
}

/** @throws Error if a response lacks the expected content */
async function check(subject: string, name: TaskName, answer: Subject['answer']): Promise<void> {
  const { expected }: Task = TASKS[name];
  if (expected === null) return;
  const text = await answer(name);
  const count = text.split(expected.text).length - 1;
  if (count === expected.count) return;
  throw new Error(`${subject} has ${count} of ${expected.count} ${expected.text} for ${name}: ${text.slice(0, 500)}`);
}

function ms(time: number): string {
  return time.toFixed(2);
}

/** Prints losses in bold. */
function ratio(parley: number, other: number): string {
  const text = (parley / other).toFixed(2);
  return parley > other ? `**${text}**` : text;
}
