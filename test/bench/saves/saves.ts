/** The cost of saves: against the smallest request, in large databases, and by concurrent clients. */
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createChat } from '../../../src/conversation/chats.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { costs, cpuRatioOf, cpuSince } from '../measuring/cost.js';
import { VIEWER, writeChain } from '../measuring/fixture.js';
import { savesASecond, saveTurn } from '../measuring/http-saves.js';
import { medians, mediansOfTurns } from '../measuring/measure.js';
import type { Ratio } from '../measuring/report.js';
import { withServer } from '../measuring/server.js';

/** @param url of a database in which the chat is created */
export async function* measureSaveCost(database: string, url: string, goal: number): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url, migrate: true });
  await writeChain(store, 'saved', 2);
  await store.close();
  const { save, smallest } = await withServer(url, ({ post, pid }) =>
    costs({
      smallest: { pid, request: () => post('{ __typename }') },
      save: { pid, request: () => saveTurn(post, 'saved') },
    }),
  );
  yield cpuRatioOf(
    `${database}: saveMessages of a question and an answer against { __typename }`,
    save,
    smallest,
    goal,
  );
}

/** The time of a save into a small chat, in a SQLite file of 1,000 messages and in one of 100,000, in turns. */
export async function* measureLargeSaves(folder: string): AsyncGenerator<Ratio> {
  const databases = { small: 1_000, large: 100_000 };
  for (const [name, size] of Object.entries(databases)) {
    const { store } = await openDatabase({ url: `file:${join(folder, `${name}.db`)}` });
    for (let n = 0; n < size / 1_000; n++) await writeChain(store, `filler${n}`, 1_000);
    await writeChain(store, 'chat', 1);
    await store.close();
  }
  const times = await withServer(`file:${join(folder, 'small.db')}`, (small) =>
    withServer(`file:${join(folder, 'large.db')}`, (large) =>
      medians({ small: () => saveTurn(small.post, 'chat'), large: () => saveTurn(large.post, 'chat') }, 100),
    ),
  );
  yield {
    what: 'saves a second at 100,000 messages against 1,000',
    ratio: times.small / times.large,
    goal: 0.8,
    atLeast: true,
    detail: `${(1000 / times.large).toFixed(0)} against ${(1000 / times.small).toFixed(0)} a second, one after the other`,
  };
}

export const CLIENTS = 16;
export const SAVES_PER_TURN = 160;

/**
 * Saves of 16 concurrent clients on 16 chats, and of one client on one chat, in turns: their number per second, and the
 * processor time of the server for each.
 */
export async function* measureConcurrentSaves(url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url });
  for (let n = 0; n < CLIENTS; n++) await createChat(store, VIEWER, { id: `busy${n}` });
  await store.close();
  const used = { one: 0, many: 0 };
  const idle = { one: 0, many: 0 };
  const { one, many } = await withServer(url, ({ post, pid }) => {
    const turn = (name: keyof typeof used, clients: number) => async () => {
      const [before, idleBefore] = [cpuSince(pid, 0), idleTime()];
      const rate = await savesASecond(post, clients, SAVES_PER_TURN);
      used[name] += cpuSince(pid, before);
      idle[name] += idleTime() - idleBefore;
      return rate;
    };
    return mediansOfTurns({ one: turn('one', 1), many: turn('many', CLIENTS) }, 9, 0);
  });
  yield {
    what: 'PostgreSQL: saves by 16 clients on 16 chats against one on one',
    ratio: many / one,
    goal: 4,
    atLeast: true,
    detail: `${many.toFixed(0)} against ${one.toFixed(0)} a second`,
  };
  const cost = (name: keyof typeof used) => used[name] / (9 * SAVES_PER_TURN);
  const shareIdle = idle.many / ((9 * SAVES_PER_TURN * 1000) / many) / cpus().length;
  yield {
    what: 'PostgreSQL: a save of 16 clients on 16 chats against one of one client: processor time of the server',
    ratio: Number.isNaN(used.one) ? null : used.many / used.one,
    goal: 1,
    detail: `${cost('many').toFixed(2)} ms against ${cost('one').toFixed(2)} ms; processors idle meanwhile: ${(100 * shareIdle).toFixed(0)} %`,
  };
}

/** The time that all processors were idle, in milliseconds. */
function idleTime(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}
