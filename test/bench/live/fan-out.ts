/**
 * The cost of an event for 1,000 sockets, against a bare server that sends prepared strings of the same length: the
 * processor time of the servers for each delivery.
 *
 * The cost of the saves is measured by as many saves at the same pace in a chat without followers, on the same server
 * with the same sockets open, and subtracted. The rest is reading the event, executing the subscription and writing its
 * result once, and sending it 1,000 times. A chat with one follower shows the cost of the first three. Writers and
 * followers are separate processes. The ways take turns, and the next event is sent after all followers have received
 * the previous one, so that no follower receives two at once.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../measuring/measure.js';
import type { Ratio } from '../measuring/report.js';
import type { Order as BareOrder } from './bare-server.js';
import { createChat, HEAD, saveMessage, versionOf } from './chats.js';
import type { Order } from './counting-clients.js';
import { cpuTime } from '../measuring/cpu-time.js';
import { INIT, openOperationsSocket, PROTOCOL, subscribeMessage } from './operations-socket.js';
import { startParley, startWorker, type Worker } from '../measuring/processes.js';

const SUBSCRIBERS = 1_000;
const TURNS = 7;
/** Saves of a turn. */
const PACE: Pace = { events: 40, intervalMs: 40 };

/** The positions at which returning followers start: up to this many events ago. */
const MISSED = 10;

/** The number of events of a turn, and their minimum interval. */
export interface Pace {
  events: number;
  intervalMs: number;
}

/** A way to cause an event; settles when all followers have received it. */
export interface Way {
  pid: number;
  send: () => Promise<unknown>;
}

/** @param databaseUrl of a missing database, which is created */
export async function* measureFanOut(databaseUrl: string): AsyncGenerator<Ratio> {
  const parley = await startParley({ DATABASE_URL: databaseUrl });
  const bare = startWorker(new URL('./bare-server.ts', import.meta.url));
  const writer = await openOperationsSocket(parley.url);
  const crowds = [startCrowd(), startCrowd(), startCrowd()] as const;
  const [many, one, bareMany] = crowds;
  const orderBare = (order: BareOrder) => bare.ask(order);
  try {
    for (const chatId of ['many', 'one', 'none']) {
      await createChat(writer, chatId);
      for (let n = 0; n <= MISSED; n++) await saveMessage(writer, chatId);
    }
    const subscriptions = (chatId: string, afters: (number | undefined)[]) =>
      afters.map((after) => [INIT, subscribeMessage(randomUUID(), HEAD, { chatId, after })]);
    const bareUrl = (await orderBare('listen')) as string;
    await bareMany.open(bareUrl, new Array<string[]>(SUBSCRIBERS).fill([]));
    await one.open(parley.url, subscriptions('one', [undefined]), PROTOCOL);
    await one.hasGot(1);

    const beginnings: [followers: string, missed: (n: number) => number | null][] = [
      ['1,000 subscribers of one chat', () => null],
      ['1,000 returning followers, each with a different position', (n) => 1 + (n % MISSED)],
    ];
    for (const [followers, missed] of beginnings) {
      const version = await versionOf(writer, 'many');
      const afters = Array.from({ length: SUBSCRIBERS }, (_, n) => {
        const events = missed(n);
        return events === null ? undefined : version - events;
      });
      await many.open(parley.url, subscriptions('many', afters), PROTOCOL);
      // The present state, or the missed events of each follower.
      await many.hasGot(afters.reduce<number>((sum, after) => sum + (after === undefined ? 1 : version - after), 0));
      await saveMessage(writer, 'many');
      await many.hasGot(SUBSCRIBERS);
      const text = await many.sample();
      await orderBare({ text });
      const follow = (chatId: string, crowd: Crowd, size: number) => async () => {
        await saveMessage(writer, chatId);
        await crowd.hasGot(size);
      };
      const costs = await inTurns(
        {
          many: { pid: parley.pid, send: follow('many', many, SUBSCRIBERS) },
          none: { pid: parley.pid, send: () => saveMessage(writer, 'none') },
          one: { pid: parley.pid, send: follow('one', one, 1) },
          bare: {
            pid: bare.pid,
            send: async () => {
              await orderBare('send');
              await bareMany.hasGot(SUBSCRIBERS);
            },
          },
        },
        PACE,
      );
      await many.close();
      yield deliveryRatio(followers, costs, SUBSCRIBERS, text.length);
    }
  } finally {
    await writer.close();
    await Promise.all([...crowds, bare, parley].map((each) => each.stop()));
  }
}

export type Crowd = ReturnType<typeof startCrowd>;

/** Sockets in a separate process. */
export function startCrowd() {
  const worker: Worker = startWorker(new URL('./counting-clients.ts', import.meta.url));
  const order = (what: Order) => worker.ask(what);
  let awaited = 0;
  return {
    stop: worker.stop,
    open(url: string, firstMessages: string[][], protocol?: string) {
      awaited = 0;
      return order({ open: { url, protocols: protocol === undefined ? [] : [protocol], firstMessages } });
    },
    /** Waits for this many further messages. */
    hasGot: (more: number) => order({ until: (awaited += more) }),
    sample: async () => (await order('sample')) as string,
    close: () => order('close'),
  };
}

/** The cost of an event in each way, in microseconds: the median of the turns. The first turn warms up. */
export async function inTurns<K extends string>(
  ways: Record<K, Way>,
  { events, intervalMs }: Pace,
): Promise<Record<K, number>> {
  const names = Object.keys(ways) as K[];
  const costs = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let turn = -1; turn < TURNS; turn++) {
    for (const name of names) {
      const { pid, send } = ways[name];
      const before = cpuTime(pid);
      for (let n = 0; n < events; n++) await Promise.all([send(), pause(intervalMs)]);
      if (turn >= 0) costs[name].push(((cpuTime(pid) - before) * 1000) / events);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(costs[name])])) as Record<K, number>;
}

/** @param costs of an event, in microseconds: with many followers, with none, with one, and of a bare server */
export function deliveryRatio(
  followers: string,
  costs: Record<'many' | 'none' | 'one' | 'bare', number>,
  size: number,
  length: number,
): Ratio {
  const delivery = (costs.many - costs.none) / size;
  const bare = costs.bare / size;
  const shared = (costs.one - costs.none) / size;
  return {
    what: `${followers}: processor time of a delivery against a bare WebSocket server`,
    ratio: delivery / bare,
    goal: 1.5,
    detail: `${delivery.toFixed(1)} µs against ${bare.toFixed(1)} µs, for ${length} bytes; ${shared.toFixed(1)} µs of it is what all share`,
  };
}
