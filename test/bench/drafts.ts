/** The cost of writing a message that other clients follow. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { costs, cpuRatioOf } from './measuring/cost.js';
import { canReadCpuTime } from './measuring/cpu-time.js';
import { createChat, saveTurn } from './measuring/http-saves.js';
import type { Order as BareOrder } from './live/bare-server.js';
import { deliveryRatio, inTurns, startCrowd, type Crowd } from './live/fan-out.js';
import { INIT, PROTOCOL, subscribeMessage } from './live/operations-socket.js';
import { mediansOfTurns } from './measuring/measure.js';
import { startWorker } from './measuring/processes.js';
import type { Ratio } from './measuring/report.js';
import { withServer, type Post } from './measuring/server.js';

/** A chunk like those of models, and the number of chunks per append. */
const CHUNK = { type: 'text-delta', id: '0', delta: ' a word or two' };
const CHUNKS = 10;
/** Appends until a draft reaches its maximum of chunks. */
const APPENDS = 100_000 / CHUNKS;

const FOLLOWERS = 100;
/** Appends of a turn. */
const PACE = { events: 200, intervalMs: 5 };

const WRITERS = 8;
const SAVES_MS = 1_500;

const FOLLOW = `subscription ($chatId: ID!, $id: ID!) { draft(chatId: $chatId, id: $id) {
  __typename ... on DraftChunks { offset chunks length } ... on DraftFinished { message { id } } } }`;

/** @param urls of missing SQLite files, which are created */
export async function* measureDrafts(urls: { small: string; live: string; busy: string }): AsyncGenerator<Ratio> {
  yield await measureAppends(urls.small);
  if (canReadCpuTime) yield await measureFollowers(urls.live);
  else console.log('Fan-out skipped: this system does not report the processor time of other processes.');
  yield await measureSavesBeside(urls.busy);
}

async function measureAppends(url: string): Promise<Ratio> {
  return withServer(url, async ({ post, pid }) => {
    await createChat(post, 'c');
    const append = await writerOf(post, 'c');
    const query = 'query ($id: ID!) { chat(id: $id) { id title metadata createdAt updatedAt version } }';
    const cost = await costs({
      read: { pid, request: () => post(query, { id: 'c' }) },
      append: { pid, request: append },
    });
    return cpuRatioOf(`an append of ${CHUNKS} chunks against reading one chat`, cost.append, cost.read, 1.3);
  });
}

async function measureFollowers(databaseUrl: string): Promise<Ratio> {
  return withServer(databaseUrl, async ({ post, url, pid }) => {
    const bare = startWorker(new URL('./live/bare-server.ts', import.meta.url));
    const orderBare = (order: BareOrder) => bare.ask(order);
    const [many, one, bareMany] = [startCrowd(), startCrowd(), startCrowd()];
    try {
      const writers: Record<string, () => Promise<unknown>> = {};
      for (const chatId of ['many', 'one', 'none']) {
        await createChat(post, chatId);
        writers[chatId] = await writerOf(post, chatId, chatId);
      }
      const subscriptions = (id: string, count: number) =>
        Array.from({ length: count }, () => [INIT, subscribeMessage(randomUUID(), FOLLOW, { chatId: id, id })]);
      await bareMany.open((await orderBare('listen')) as string, new Array<string[]>(FOLLOWERS).fill([]));
      await many.open(url, subscriptions('many', FOLLOWERS), PROTOCOL);
      await one.open(url, subscriptions('one', 1), PROTOCOL);
      const follow = (id: string, crowd: Crowd, size: number) => ({
        pid,
        send: async () => {
          await writers[id]?.();
          await crowd.hasGot(size);
        },
      });
      await follow('many', many, FOLLOWERS).send();
      const text = await many.sample();
      await orderBare({ text });
      const measured = await inTurns(
        {
          many: follow('many', many, FOLLOWERS),
          none: { pid, send: async () => writers['none']?.() },
          one: follow('one', one, 1),
          bare: {
            pid: bare.pid,
            send: async () => {
              await orderBare('send');
              await bareMany.hasGot(FOLLOWERS);
            },
          },
        },
        PACE,
      );
      return deliveryRatio(`${FOLLOWERS} followers of one draft`, measured, FOLLOWERS, text.length);
    } finally {
      await Promise.all([many, one, bareMany, bare].map((each) => each.stop()));
    }
  });
}

/** Saves into a chat during drafts of other clients, each with 50 chunks a second. */
async function measureSavesBeside(url: string): Promise<Ratio> {
  return withServer(url, async ({ post }) => {
    await createChat(post, 'c');
    const writers = await Promise.all(Array.from({ length: WRITERS }, () => writerOf(post, 'c')));
    const save = async () => {
      const end = performance.now() + SAVES_MS;
      let saves = 0;
      for (; performance.now() < end; saves++) await saveTurn(post, 'c');
      return (1_000 * saves) / SAVES_MS;
    };
    const rates = await mediansOfTurns(
      {
        alone: save,
        beside: async () => {
          let isOver = false;
          const writing = writers.map(async (append, n) => {
            // Spread the writers over time.
            await pause((n * 200) / WRITERS);
            while (!isOver) await Promise.all([append(), pause(200)]);
          });
          const rate = await save();
          isOver = true;
          await Promise.all(writing);
          return rate;
        },
      },
      7,
    );
    return {
      what: `saves into a chat in which ${WRITERS} drafts are written, against those without`,
      ratio: rates.beside / rates.alone,
      goal: 0.8,
      atLeast: true,
      detail: `${rates.beside.toFixed(0)} a second against ${rates.alone.toFixed(0)}`,
    };
  });
}

/** Starts a draft. @returns a function that appends to it, and starts another one at the limit of chunks */
export async function writerOf(post: Post, chatId: string, name?: string): Promise<() => Promise<void>> {
  let id = name ?? randomUUID();
  let offset = 0;
  const mutate = async (field: string, type: string, input: object) => {
    const answer = await post(`mutation ($input: ${type}!) { done: ${field}(input: $input) { __typename } }`, {
      input: { chatId, id, ...input },
    });
    if (!answer.includes('Payload')) throw new Error(answer);
  };
  const chunks = new Array<typeof CHUNK>(CHUNKS).fill(CHUNK);
  await mutate('startDraft', 'StartDraftInput', {});
  return async () => {
    if (offset >= APPENDS * CHUNKS) {
      await mutate('discardDraft', 'DraftInput', {});
      id = randomUUID();
      offset = 0;
      await mutate('startDraft', 'StartDraftInput', {});
    }
    await mutate('appendToDraft', 'AppendToDraftInput', { offset, chunks });
    offset += CHUNKS;
  };
}
