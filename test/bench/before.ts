/**
 * Compares this build with another one, such as that of the previous commit. Both servers run at the same time on
 * separate databases and take turns; each run starts new ones. A row regresses if all runs are more than 5 % worse.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { chainQuery, ROUNDS } from './chains.js';
import { costs } from './measuring/cost.js';
import { canReadCpuTime } from './measuring/cpu-time.js';
import { writerOf } from './drafts.js';
import { createChat, saveChain, savesASecond, saveTurn } from './measuring/http-saves.js';
import { HEAD } from './live/chats.js';
import { inTurns, startCrowd } from './live/fan-out.js';
import { INIT, PROTOCOL, subscribeMessage } from './live/operations-socket.js';
import { mapValues, medians, mediansOfTurns, timeOf } from './measuring/measure.js';
import { withPostgresql } from './measuring/postgresql.js';
import { startParley } from './measuring/processes.js';
import type { Ratio } from './measuring/report.js';
import { CLIENTS, SAVES_PER_TURN } from './saves/saves.js';
import { withServer, type Post, type Server } from './measuring/server.js';

const RUNS = 5;
const GOAL = 1.05;

const SUBSCRIBERS = 200;
/** Saves of a turn. */
const PACE = { events: 100, intervalMs: 5 };

type Build = 'before' | 'now';
type Pair<T> = Record<Build, T>;
/** Measures the same work on both builds. @returns milliseconds or microseconds */
type Row = (servers: Pair<Server>) => Promise<Pair<number>>;

const ROWS: Record<string, Row> = {
  '{ __typename }': (servers) => processorTime(servers, ({ post }) => post('{ __typename }')),
  'saveMessages of a question and an answer': async (servers) => {
    for (const { post } of Object.values(servers)) await createChat(post, 'saved');
    return processorTime(servers, ({ post }) => saveTurn(post, 'saved'));
  },
  'Branch.chain of 1,000': (servers) => timeOfChain(servers, 1_000),
  'Branch.chain of 10,000': (servers) => timeOfChain(servers, 10_000),
  [`a save by each of ${CLIENTS} clients on as many chats`]: async (servers) => {
    for (const { post } of Object.values(servers)) {
      for (let n = 0; n < CLIENTS; n++) await createChat(post, `busy${n}`);
    }
    const saves = ({ post }: Server) => savesASecond(post, CLIENTS, SAVES_PER_TURN);
    const rates = await mediansOfTurns(
      mapValues(servers, (server) => () => saves(server)),
      9,
    );
    return mapValues(rates, (rate) => 1_000 / rate);
  },
  'an append of 10 chunks to a draft': async (servers) => {
    const writers = new Map<Post, () => Promise<void>>();
    for (const { post } of Object.values(servers)) {
      await createChat(post, 'drafted');
      writers.set(post, await writerOf(post, 'drafted'));
    }
    return processorTime(servers, ({ post }) => writers.get(post)!());
  },
  [`a save that ${SUBSCRIBERS} subscribers follow`]: costOfFollowedSave,
};

/**
 * @param folder for its databases
 * @param build folder of the other build
 */
export async function* measureBefore(folder: string, build: string | undefined): AsyncGenerator<Ratio> {
  if (build === undefined) {
    yield { what: 'this build against another one', ratio: null, detail: '`--against` names no build' };
    return;
  }
  if (!existsSync(join(build, 'dist', 'main.js'))) throw new Error(`There is no dist/main.js in ${resolve(build)}.`);
  const folders: Pair<string> = { before: build, now: '.' };
  yield await compareStarts(folder, folders);
  yield* compareRows('SQLite', folders, (name) => `file:${join(folder, `${name}.db`)}`);
  yield* withPostgresql((url) => compareRows('PostgreSQL', folders, (name) => `${url}?schema=${name}`));
}

/** @param urlOf returns the URL of a new database with a name */
async function* compareRows(database: string, folders: Pair<string>, urlOf: (name: string) => string) {
  const runs: Record<string, Pair<number>[]> = mapValues(ROWS, () => []);
  for (let run = 0; run < RUNS; run++) {
    await withServer(
      urlOf(`before${run}`),
      (before) =>
        withServer(
          urlOf(`now${run}`),
          async (now) => {
            for (const [name, measure] of Object.entries(ROWS)) runs[name]!.push(await measure({ before, now }));
          },
          folders.now,
        ),
      folders.before,
    );
  }
  for (const [name, pairs] of Object.entries(runs)) yield ratioOfRuns(`${database}: ${name}`, pairs, folders.before);
}

async function compareStarts(folder: string, folders: Pair<string>): Promise<Ratio> {
  const runs: Pair<number>[] = [];
  const start = (build: Build) => async () => {
    let stop: () => Promise<void>;
    const time = await timeOf(async () => {
      ({ stop } = await startParley({ DATABASE_URL: `file:${join(folder, `${build}.db`)}` }, folders[build]));
    });
    await stop!();
    return time;
  };
  const builds: Pair<() => Promise<number>> = { before: start('before'), now: start('now') };
  for (let run = 0; run < RUNS; run++) runs.push(await mediansOfTurns(builds, 7));
  return ratioOfRuns('SQLite: a start when nothing has changed', runs, folders.before);
}

/** The processor time of a request if the system reports it, otherwise its duration. */
async function processorTime(servers: Pair<Server>, request: (server: Server) => Promise<unknown>) {
  const cost = await costs(mapValues(servers, (server) => ({ pid: server.pid, request: () => request(server) })));
  return mapValues(cost, ({ cpu, time }) => (canReadCpuTime ? cpu : time));
}

async function timeOfChain(servers: Pair<Server>, length: number): Promise<Pair<number>> {
  const query = chainQuery(`chain${length}`);
  for (const { post } of Object.values(servers)) await saveChain(post, `chain${length}`, length);
  return medians(
    mapValues(
      servers,
      ({ post }) =>
        () =>
          post(query),
    ),
    Math.ceil(ROUNDS[length]! / 2),
  );
}

/** The processor time of the server, in microseconds; NaN if the system does not report it. */
async function costOfFollowedSave(servers: Pair<Server>): Promise<Pair<number>> {
  if (!canReadCpuTime) return { before: Number.NaN, now: Number.NaN };
  const crowds: Pair<ReturnType<typeof startCrowd>> = { before: startCrowd(), now: startCrowd() };
  try {
    for (const build of Object.keys(servers) as Build[]) {
      const { post, url } = servers[build];
      await createChat(post, 'followed');
      const subscriptions = Array.from({ length: SUBSCRIBERS }, () => [
        INIT,
        subscribeMessage(randomUUID(), HEAD, { chatId: 'followed' }),
      ]);
      await crowds[build].open(url, subscriptions, PROTOCOL);
      // Wait for the present state.
      await crowds[build].hasGot(SUBSCRIBERS);
    }
    const follow = (build: Build) => ({
      pid: servers[build].pid,
      send: async () => {
        await saveTurn(servers[build].post, 'followed');
        await crowds[build].hasGot(SUBSCRIBERS);
      },
    });
    return await inTurns({ before: follow('before'), now: follow('now') }, PACE);
  } finally {
    await Promise.all(Object.values(crowds).map((crowd) => crowd.stop()));
  }
}

/** The ratio of the best run: a row regresses if this run does. */
function ratioOfRuns(what: string, runs: Pair<number>[], build: string): Ratio {
  const ratios = runs.map(({ before, now }) => now / before);
  const best = Math.min(...ratios);
  return {
    what: `${what} against ${nameOf(build)}, the best of ${RUNS} runs`,
    ratio: Number.isNaN(best) ? null : best,
    goal: GOAL,
    detail: ratios.map((ratio) => ratio.toFixed(2)).join(', '),
  };
}

/** The commit of a build, or the name of its folder. */
function nameOf(build: string): string {
  try {
    const args = ['-C', build, 'rev-parse', '--short', 'HEAD'];
    return execFileSync('git', args, { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return basename(resolve(build));
  }
}
