/**
 * Against another build, such as that of the commit before: both servers run at the same time, on databases of their
 * own, which each has filled itself, and take turns.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { chainQuery, ROUNDS } from './chains.js';
import { costs, cpuRatioOf } from './measuring/cost.js';
import { createChat, saveChain, savesASecond, saveTurn } from './measuring/http-saves.js';
import { medians, mediansOfTurns } from './measuring/measure.js';
import { withPostgresql } from './measuring/postgresql.js';
import { ratioOf, type Ratio } from './measuring/report.js';
import { CLIENTS, SAVES_PER_TURN } from './saves.js';
import { withServer, type Server } from './measuring/server.js';

const CONCURRENT = 'PostgreSQL: saves by 16 clients on 16 chats against the commit before';
const CONCURRENT_GOAL = { goal: 2.5, atLeast: true };

/** The two servers. */
type Pair = Record<'before' | 'now', Server>;

/**
 * @param folder for its databases
 * @param build folder of the other one
 */
export async function* measureBefore(folder: string, build: string | undefined): AsyncGenerator<Ratio> {
  if (build === undefined) {
    yield { what: CONCURRENT, ratio: null, ...CONCURRENT_GOAL, detail: '`--against` names no build' };
    return;
  }
  if (!existsSync(join(build, 'dist', 'main.js'))) throw new Error(`There is no dist/main.js in ${resolve(build)}.`);
  const name = nameOf(build);
  const file = (which: string) => `file:${join(folder, `${which}.db`)}`;
  yield* await withBoth(build, { before: file('before'), now: file('now') }, (pair) => compare('SQLite', name, pair));
  yield* withPostgresql(async function* (url) {
    yield* await withBoth(build, { before: `${url}?schema=before`, now: `${url}?schema=now` }, async (pair) => [
      await compareConcurrentSaves(name, pair),
      ...(await compare('PostgreSQL', name, pair)),
    ]);
  });
}

function withBoth<T>(build: string, urls: Record<keyof Pair, string>, measure: (pair: Pair) => Promise<T>): Promise<T> {
  return withServer(urls.before, (before) => withServer(urls.now, (now) => measure({ before, now })), build);
}

async function compareConcurrentSaves(name: string, { before, now }: Pair): Promise<Ratio> {
  for (const { post } of [before, now]) for (let n = 0; n < CLIENTS; n++) await createChat(post, `busy${n}`);
  const rates = await mediansOfTurns(
    {
      before: () => savesASecond(before.post, CLIENTS, SAVES_PER_TURN),
      now: () => savesASecond(now.post, CLIENTS, SAVES_PER_TURN),
    },
    9,
  );
  return {
    what: CONCURRENT,
    ratio: rates.now / rates.before,
    ...CONCURRENT_GOAL,
    detail: `${rates.now.toFixed(0)} against ${rates.before.toFixed(0)} a second, ${name}`,
  };
}

async function compare(database: string, name: string, { before, now }: Pair): Promise<Ratio[]> {
  for (const { post } of [before, now]) {
    await createChat(post, 'saved');
    for (const length of [1_000, 10_000]) await saveChain(post, `chain${length}`, length);
  }
  const ratios: Ratio[] = [];
  const saves = await costs({
    before: { pid: before.pid, request: () => saveTurn(before.post, 'saved') },
    now: { pid: now.pid, request: () => saveTurn(now.post, 'saved') },
  });
  ratios.push(
    cpuRatioOf(`${database}: saveMessages of a question and an answer against ${name}`, saves.now, saves.before),
  );
  for (const length of [1_000, 10_000]) {
    const query = chainQuery(`chain${length}`);
    const times = await medians(
      { before: () => before.post(query), now: () => now.post(query) },
      Math.ceil(ROUNDS[length]! / 2),
    );
    const what = `${database}: Branch.chain of ${length.toLocaleString('en')} against ${name}`;
    ratios.push(ratioOf(what, times.now, times.before));
  }
  return ratios;
}

/** The commit of a build, or else the name of its folder. */
function nameOf(build: string): string {
  try {
    return execFileSync('git', ['-C', build, 'rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    return basename(resolve(build));
  }
}
