/** The overhead of Parley over bare Yoga, for the smallest request and for a page from the database. */
import { openDatabase } from '../../src/database/opening/open.js';
import { costs, cpuRatioOf } from './measuring/cost.js';
import { writeChain } from './measuring/fixture.js';
import { pageQuery } from './pages.js';
import { startWorker } from './measuring/processes.js';
import { ratioOf, type Ratio } from './measuring/report.js';
import type { Order } from './requests/bare-yoga.js';
import { wholeAnswer, withPost, withServer, type Post, type Server } from './measuring/server.js';

/** @param url of a missing SQLite file, which is created */
export async function* measureRequests(url: string): AsyncGenerator<Ratio> {
  const { store } = await openDatabase({ url });
  await writeChain(store, 'chain10000', 10_000);
  await store.close();
  yield* await withServer(url, async (parley) => [await compareSmallest(parley), await comparePage(parley)]);
}

async function compareSmallest(parley: Server): Promise<Ratio> {
  const query = '{ __typename }';
  const cost = await withBareYoga('schema', (bare) =>
    costs({
      bare: { pid: bare.pid, request: () => bare.post(query) },
      parley: { pid: parley.pid, request: () => parley.post(query) },
    }),
  );
  return cpuRatioOf('{ __typename } against bare Yoga on the same schema', cost.parley, cost.bare, 1.1);
}

/** @throws Error if the responses differ */
async function comparePage(parley: Server): Promise<Ratio> {
  const query = pageQuery('chain10000', 'last: 50');
  const text = await wholeAnswer(parley.url, query);
  const { data } = JSON.parse(text) as { data: Record<string, unknown> };
  const cost = await withBareYoga({ answer: data }, async (bare) => {
    if ((await wholeAnswer(bare.url, query)) !== text) throw new Error('Bare Yoga returned another response.');
    return costs({
      bare: { pid: bare.pid, request: () => bare.post(query) },
      parley: { pid: parley.pid, request: () => parley.post(query) },
    });
  });
  const what = 'messages(last: 50) of 10,000 against bare Yoga with the same bytes from memory';
  const { detail, ...ratio } = ratioOf(what, cost.parley.time, cost.bare.time, 2);
  const cpu = cpuRatioOf(what, cost.parley, cost.bare);
  return { ...ratio, detail: `${detail}; processor time ${cpu.ratio?.toFixed(2) ?? 'not known'}` };
}

/** Runs a bare Yoga in a separate process. */
async function withBareYoga<T>(order: Order, measure: (bare: Server) => Promise<T>): Promise<T> {
  const worker = startWorker(new URL('./requests/bare-yoga.ts', import.meta.url));
  try {
    const url = (await worker.ask(order)) as string;
    return await withPost(url, (post: Post) => measure({ post, url, pid: worker.pid }));
  } finally {
    await worker.stop();
  }
}
