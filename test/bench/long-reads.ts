/**
 * The effect of long reads on other clients: the time of a small query while another client continuously reads chains
 * of 10,000. Small queries are sent at a steady pace, before previous ones have responses, as by independent users: a
 * waiting client would send fewer queries to a slow server.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '../../src/database/opening/open.js';
import { chainQuery } from './chains.js';
import { writeChain } from './measuring/fixture.js';
import type { Order } from './long-reads/reader.js';
import { median, quantile, timeOf } from './measuring/measure.js';
import { startWorker } from './measuring/processes.js';
import type { Ratio } from './measuring/report.js';
import { withServer, type Post } from './measuring/server.js';

const QUERIES_PER_TURN = 250;
const INTERVAL_MS = 10;
const TURNS = 8;
const SMALL_QUERY = '{ chat(id: "small") { title } }';

/** @param url of a missing SQLite file, which is created */
export async function* measureLongReads(url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url });
  await writeChain(store, 'small', 10);
  await writeChain(store, 'chain10000', 10_000);
  await store.close();
  const reader = startWorker(new URL('./long-reads/reader.ts', import.meta.url));
  const order = (what: Order) => reader.ask(what);
  const times: Record<'alone' | 'disturbed', number[]> = { alone: [], disturbed: [] };
  let chains = 0;
  try {
    await withServer(url, async (server) => {
      for (let turn = -1; turn < TURNS; turn++) {
        const alone = await smallQueries(server.post);
        await order({ url: server.url, query: chainQuery('chain10000') });
        const disturbed = await smallQueries(server.post);
        const read = (await order('stop')) as number;
        // The first turn warms up.
        if (turn < 0) continue;
        times.alone.push(...alone);
        times.disturbed.push(...disturbed);
        chains += read;
      }
    });
  } finally {
    await reader.stop();
  }
  const [alone, disturbed] = [quantile(times.alone, 0.99), quantile(times.disturbed, 0.99)];
  const middle = `${median(times.disturbed).toFixed(2)} ms against ${median(times.alone).toFixed(2)} ms`;
  const perSecond = chains / ((TURNS * QUERIES_PER_TURN * INTERVAL_MS) / 1000);
  yield {
    what: '99th percentile of { chat(id) { title } } while another client reads chains of 10,000, against without it',
    ratio: disturbed / alone,
    goal: 2,
    detail: `${disturbed.toFixed(2)} ms against ${alone.toFixed(2)} ms; medians ${middle}; ${perSecond.toFixed(1)} chains a second`,
  };
}

/** The duration of each query, in milliseconds. */
async function smallQueries(post: Post): Promise<number[]> {
  const begin = performance.now();
  const running: Promise<number>[] = [];
  for (let n = 0; n < QUERIES_PER_TURN; n++) {
    await pause(Math.max(0, begin + n * INTERVAL_MS - performance.now()));
    running.push(timeOf(() => post(SMALL_QUERY)));
  }
  return Promise.all(running);
}
