/** Clients that join, leave and read slowly, in any interleaving: each receives every event once. */
import { setImmediate as nextRound } from 'node:timers/promises';
import fc from 'fast-check';
import { parse, type ExecutionResult } from 'graphql';
import { expect, test } from 'vitest';
import type { Following } from '../../src/events/following.js';
import type { Answer } from '../../src/http/answers/answer.js';
import type { Follower } from '../../src/http/subscriptions/follower.js';
import { SharedSubscriptions, type Subscribe } from '../../src/http/subscriptions/shared-subscriptions.js';
import { runs } from '../support/effort.js';

const VIEWER = { userId: 'u', isAdmin: false };
const document = parse('subscription ($after: Int) { chatEvents(chatId: "c", after: $after) { seq } }');

/** A growing log with subscriptions whose steps the scheduler of the test interleaves. */
class Log {
  version = 3;
  isDeleted = false;
  /** The number of running subscriptions. */
  running = 0;
  executions = 0;
  readonly #waiting = new Set<() => void>();

  /** @param areTogether whether one result contains all available events, like the chunks of a draft */
  constructor(
    private readonly wait: () => Promise<unknown>,
    private readonly areTogether: boolean,
  ) {}

  grow(): void {
    this.version++;
    this.#tell();
  }

  delete(): void {
    this.isDeleted = true;
    this.#tell();
  }

  readonly subscribe: Subscribe = async (_viewer, { variableValues }, following) => {
    await this.wait();
    following.position = following.startAt ?? (variableValues?.['after'] as number | undefined) ?? this.version;
    this.running++;
    return this.#source(following);
  };

  #source(following: Following): AsyncIterableIterator<ExecutionResult, undefined> {
    let isDone = false;
    let stopWaiting = () => {};
    const next = async (): Promise<IteratorResult<ExecutionResult, undefined>> => {
      while (!isDone) {
        const { until, position } = following;
        if (until !== undefined && position >= (until()?.position ?? this.version)) break;
        if (position < this.version || (this.isDeleted && !following.isOver)) {
          const seqs = [++following.position];
          const end = this.areTogether ? Math.min(until?.()?.position ?? this.version, this.version) : 0;
          while (following.position < end) seqs.push(++following.position);
          following.isOver = following.position > this.version;
          this.executions++;
          await this.wait();
          return { done: false, value: { data: { chatEvents: { seqs } } } };
        }
        if (following.isOver) break;
        await new Promise<void>((resolve) => {
          stopWaiting = resolve;
          this.#waiting.add(resolve);
        });
      }
      return end();
    };
    const end = (): IteratorResult<ExecutionResult, undefined> => {
      if (!isDone) this.running--;
      isDone = true;
      stopWaiting();
      return { done: true, value: undefined };
    };
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next,
      return: async () => end(),
    };
  }

  #tell(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

class Client implements Follower {
  readonly seqs: number[] = [];
  isComplete = false;
  leave: (() => void) | null = null;
  /** The number of received results. */
  answers = 0;
  /** The number of received results when it left. */
  left: number | null = null;

  constructor(private readonly wait: () => Promise<unknown>) {}

  push(answer: Answer): void {
    const { data } = JSON.parse(answer.json) as { data: { chatEvents: { seqs: number[] } } };
    this.answers++;
    this.seqs.push(...data.chatEvents.seqs);
  }
  async begin(): Promise<() => void> {
    return () => {};
  }

  async write(answer: Answer): Promise<boolean> {
    this.push(answer);
    await this.wait();
    return this.left === null;
  }
  complete(): void {
    this.isComplete = true;
  }
  fail(): void {
    throw new Error('nothing failed');
  }
  cutOff(): void {}
}

type Step = { kind: 'join'; back: number | null } | { kind: 'grow' } | { kind: 'leave'; client: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('join' as const), back: fc.option(fc.nat(5), { nil: null }) }),
  { weight: 2, arbitrary: fc.constant<Step>({ kind: 'grow' }) },
  fc.record({ kind: fc.constant('leave' as const), client: fc.nat(5) }),
);

/** Runs all scheduled work, including work that it schedules. */
async function settle(scheduler: fc.Scheduler): Promise<void> {
  await nextRound();
  while (scheduler.count() > 0) {
    await scheduler.waitOne();
    await nextRound();
  }
}

test('every client gets each event after its position once and in order, for any order of joins and leaves', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(step, { minLength: 2, maxLength: 14 }),
      fc.boolean(),
      async (scheduler, steps, areTogether) => {
        const wait = () => scheduler.schedule(Promise.resolve());
        const log = new Log(wait, areTogether);
        const subscriptions = new SharedSubscriptions(log.subscribe);
        const clients: { client: Client; after: number; joined: Promise<void> }[] = [];

        for (const each of steps) {
          if (each.kind === 'grow') log.grow();
          if (each.kind === 'join') {
            const client = new Client(wait);
            const after = Math.max(0, log.version - (each.back ?? 0));
            const variableValues = each.back === null ? {} : { after };
            const joined = subscriptions.follow(VIEWER, { document, variableValues }, client).then((leave) => {
              if (typeof leave !== 'function') throw new Error('refused');
              client.leave = leave;
              if (client.left !== null) leave();
            });
            clients.push({ client, after: each.back === null ? -1 : after, joined });
          }
          if (each.kind === 'leave') {
            const client = clients[each.client]?.client;
            if (client !== undefined && client.left === null) {
              client.left = client.answers;
              client.leave?.();
            }
          }
          // Run some of the scheduled work now, and the rest later.
          if (scheduler.count() > 0) await scheduler.waitOne();
        }
        await settle(scheduler);
        await Promise.all(clients.map(({ joined }) => joined));
        const isThere = (seq: number) =>
          clients.every(({ client }) => client.left !== null || client.seqs.at(-1) === seq);
        // All clients are in one group: an event is executed once.
        if (clients.some(({ client }) => client.left === null)) {
          const before = log.executions;
          log.grow();
          await settle(scheduler);
          expect(isThere(log.version)).toBe(true);
          expect(log.executions).toBe(before + 1);
          expect({ groups: subscriptions.size.groups, running: log.running }).toEqual({ groups: 1, running: 1 });
        }
        log.delete();
        await settle(scheduler);

        for (const { client, after } of clients) {
          const first = after === -1 ? (client.seqs[0] ?? log.version + 1) : after + 1;
          const whole = Array.from({ length: log.version + 1 - first + 1 }, (_, n) => first + n);
          if (client.left === null) expect([client.seqs, client.isComplete]).toEqual([whole, true]);
          // A result that was in flight when the client left may still arrive.
          else expect(client.seqs).toEqual(whole.slice(0, client.seqs.length));
          if (client.left !== null) expect(client.answers - client.left).toBeLessThanOrEqual(1);
        }
        expect({ ...subscriptions.size, running: log.running }).toEqual({ clients: 0, groups: 0, running: 0 });
      },
    ),
    { numRuns: runs(5000) },
  );
});
