/** The order of jobs. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { FairLimiter } from '../../../src/scheduler/fair-limiter.js';

let turns: FairLimiter;
let begun: string[];
let ends: Map<string, (() => void)[]>;
beforeEach(() => {
  turns = new FairLimiter({ concurrency: 4, perUser: 2 });
  begun = [];
  ends = new Map();
});

/** Queues jobs of these users, and records the order in which they start. */
async function ask(...userIds: string[]): Promise<void> {
  for (const userId of userIds) {
    void turns.begin({ userId }).then((end) => {
      begun.push(userId);
      ends.set(userId, [...(ends.get(userId) ?? []), end]);
    });
  }
  await nextTurn();
}

async function end(userId: string): Promise<void> {
  ends.get(userId)?.shift()?.();
  await nextTurn();
}

it('four jobs run concurrently, and the next in order of arrival', async () => {
  await ask('a', 'b', 'c', 'd', 'e', 'f');
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  await end('c');
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
  await end('a');
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

it('two jobs per user run concurrently, for any number of waiting jobs: other users are not delayed', async () => {
  await ask('slow', 'slow', 'slow', 'slow', 'quick');
  expect(begun).toEqual(['slow', 'slow', 'quick']);
  await end('quick');
  await ask('quick');
  expect(begun).toEqual(['slow', 'slow', 'quick', 'quick']);
  await end('slow');
  expect(begun).toEqual(['slow', 'slow', 'quick', 'quick', 'slow']);
});

it('users alternate, for any number of jobs, and the jobs of each user run in order', async () => {
  turns = new FairLimiter({ concurrency: 1 });
  await ask('many', 'many', 'many', 'many', 'some', 'some', 'one');
  for (const userId of ['many', 'many', 'some', 'one', 'many', 'some', 'many']) await end(userId);
  expect(begun).toEqual(['many', 'many', 'some', 'one', 'many', 'some', 'many']);
});

it('the server itself has no limit per user, and waits in order', async () => {
  await ask('', '', '', 'a');
  expect(begun).toEqual(['', '', '', 'a']);
});

it('after all jobs have ended, the same number can start again', async () => {
  await ask('a', 'a', 'b', 'c', 'd');
  for (const userId of ['a', 'a', 'b', 'c', 'd']) await end(userId);
  begun = [];
  await ask('a', 'a', 'a', 'b', 'c', 'd');
  expect(begun).toEqual(['a', 'a', 'b', 'c']);
});

it('an aborted job stops waiting, and delays no other job', async () => {
  await ask('slow', 'slow');
  const leaving = new AbortController();
  const { signal } = leaving;
  const aborted = [turns.begin({ userId: 'slow', signal }), turns.begin({ userId: 'slow', signal })];
  await ask('slow');
  leaving.abort(new Error('aborted'));
  for (const turn of [...aborted, turns.begin({ userId: 'slow', signal })])
    await expect(turn).rejects.toThrow('aborted');
  await end('slow');
  expect(begun).toEqual(['slow', 'slow', 'slow']);
});

it('a failed job releases its slot', async () => {
  turns = new FairLimiter({ concurrency: 1 });
  await expect(turns.run(undefined, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.run({ userId: 'a' }, () => Promise.resolve(1))).toBe(1);
});
