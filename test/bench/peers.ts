/**
 * `npm run bench -- peers`: compares Parley's server with PostGraphile on Parley's tables, and Parley's library with the
 * library that its contract comes from. All have the same rows, and take turns.
 */
import { join } from 'node:path';
import { startPostgresql } from '../support/database/embedded-postgresql.js';
import { mediansOfTurns } from './measuring/measure.js';
import { vacuum } from './measuring/postgresql.js';
import { installPeers, versions } from './peers/install.js';
import { withLibrary, type Place } from './peers/library.js';
import { withParley } from './peers/parley.js';
import { withPostgraphile } from './peers/postgraphile.js';
import { writeRows } from './peers/rows.js';
import { TASKS, type Size, type Subject, type Task, type TaskName } from './peers/tasks.js';

/** Repetitions of a task in a turn. */
const TURN = 5;

/** Operations of each task before the first turn, and their longest time: prepared statements, caches, compiled code. */
const WARM_UP = 1_000;
const WARM_UP_MS = 5_000;

type Name = 'parley' | 'library' | 'original' | 'parleyPg' | 'libraryPg' | 'originalPg' | 'postgraphile';

/** Medians of a task in milliseconds, of the subjects that have it. */
type Times = Partial<Record<Name, number>>;

const TABLES: { title: string; columns: [Name, Name][] }[] = [
  { title: 'Over HTTP, against PostGraphile', columns: [['parleyPg', 'postgraphile']] },
  {
    title: 'In the process of the caller, against the original: SQLite and PostgreSQL',
    columns: [
      ['library', 'original'],
      ['libraryPg', 'originalPg'],
    ],
  },
  {
    title: 'Over HTTP, against the original in the process of the caller: SQLite and PostgreSQL',
    columns: [
      ['parley', 'original'],
      ['parleyPg', 'originalPg'],
    ],
  },
];

/** Prints tables. @param folder for databases */
export async function comparePeers(folder: string): Promise<void> {
  const node = installPeers();
  const postgresql = await startPostgresql([]);
  const { url } = postgresql;
  const file = (name: string) => join(folder, `${name}.db`);
  const files = (owner: string) => ({
    small: { file: file(`${owner}-small`) },
    large: { file: file(`${owner}-large`) },
  });
  const schemas = (owner: string) => ({
    small: { url, schema: `${owner}_small` },
    large: { url, schema: `${owner}_large` },
  });
  const copied = (places: Record<Size, Place>) => ({
    small: { ...places.small, from: file('parley-small') },
    large: { ...places.large, from: file('parley-large') },
  });
  const urls = (owner: string) => ({
    small: `file:${file(`${owner}-small`)}`,
    large: `file:${file(`${owner}-large`)}`,
  });
  const urlsPg = (owner: string) => ({
    small: `${url}?schema=${owner}_small`,
    large: `${url}?schema=${owner}_large`,
  });
  try {
    // The library has databases of its own, because processes take turns to write to one file.
    for (const { small, large } of ['parley', 'library'].flatMap((owner) => [urls(owner), urlsPg(owner)])) {
      await writeRows(small, 'small');
      await writeRows(large, 'large');
    }
    await withParley(urls('parley'), (parley) =>
      withParley(urlsPg('parley'), (parleyPg) =>
        withLibrary('parley-process.mjs', process.execPath, files('library'), (library) =>
          withLibrary('parley-process.mjs', process.execPath, schemas('library'), (libraryPg) =>
            withLibrary('original-process.mjs', node, copied(files('original')), (original) =>
              withLibrary('original-process.mjs', node, copied(schemas('original')), (originalPg) =>
                withPostgraphile(node, url, { small: 'parley_small', large: 'parley_large' }, async (postgraphile) => {
                  await vacuum(url);
                  await print({ parley, parleyPg, library, libraryPg, original, originalPg, postgraphile });
                }),
              ),
            ),
          ),
        ),
      ),
    );
  } finally {
    await postgresql.remove();
  }
}

async function print(subjects: Record<Name, Subject>): Promise<void> {
  console.log(
    `Parley on Node ${process.version}; @deepagents/context ${versions['@deepagents/context']} and PostGraphile ` +
      `${versions['postgraphile']} on Node 24. Milliseconds, medians; a ratio above 1 is Parley's loss.`,
  );
  const times = {} as Record<TaskName, Times>;
  for (const [name, task] of Object.entries<Task>(TASKS) as [TaskName, Task][]) {
    times[name] = await measure(name, task, subjects);
  }
  const rows = Object.entries<Task>(TASKS) as [TaskName, Task][];
  for (const { title, columns } of TABLES) {
    console.log(`\n| ${title} | ${columns.map(() => 'Parley | other | ratio').join(' | ')} |`);
    console.log(`| --- | ${columns.map(() => '---: | ---: | ---:').join(' | ')} |`);
    for (const [name, { what }] of rows) {
      const cells = columns.flatMap(([own, other]) => compared(times[name][own], times[name][other]));
      if (cells.some((cell) => cell !== '')) console.log(`| ${what} | ${cells.join(' | ')} |`);
    }
  }
  console.log('\n| Over HTTP, against an empty request and a chat by its id | SQLite | | PostgreSQL | |');
  console.log('| --- | ---: | ---: | ---: | ---: |');
  for (const [name, { what }] of rows) {
    const cells = (['parley', 'parleyPg'] as const).flatMap((subject) =>
      (['empty', 'chat'] as const).map((than) => (times[name][subject]! / times[than][subject]!).toFixed(2)),
    );
    console.log(`| ${what} | ${cells.join(' | ')} |`);
  }
}

async function measure(name: TaskName, task: Task, subjects: Record<Name, Subject>): Promise<Times> {
  const turns = {} as Record<Name, () => Promise<number[]>>;
  for (const [subject, { answer, times }] of Object.entries(subjects) as [Name, Subject][]) {
    if (!(await isAnswered(subject, name, answer))) continue;
    const end = performance.now() + WARM_UP_MS;
    for (let n = 0; n < WARM_UP && performance.now() < end; n += TURN) await times(name, TURN);
    turns[subject] = () => times(name, TURN);
  }
  return mediansOfTurns(turns, task.rounds, 2);
}

/**
 * Whether the subject has the task.
 * @throws Error if its response lacks the expected content
 */
async function isAnswered(subject: string, name: TaskName, answer: Subject['answer']): Promise<boolean> {
  const { expected }: Task = TASKS[name];
  if (expected === null) return true;
  const text = await answer(name);
  if (text === null) return false;
  const count = text.split(expected.text).length - 1;
  if (count === expected.count) return true;
  throw new Error(`${subject} has ${count} of ${expected.count} ${expected.text} for ${name}: ${text.slice(0, 500)}`);
}

/** Prints losses in bold. */
function compared(own: number | undefined, other: number | undefined): string[] {
  if (own === undefined || other === undefined) return ['', '', ''];
  const ratio = (own / other).toFixed(2);
  return [own.toFixed(2), other.toFixed(2), own > other ? `**${ratio}**` : ratio];
}
