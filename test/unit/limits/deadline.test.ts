/** The outcome of a change whose operation exceeds its time limit. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Deadline, type EnterStep } from '../../../src/limits/deadline.js';
import { DatabaseUnavailableError } from '../../../src/conversation/errors.js';

/** A transaction that fails at the deadline, after this step. */
async function cutOff(after: 'work' | 'commit', error: Error): Promise<Deadline> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const deadline = new Deadline(20);
  const run = async ({ enter }: { enter: EnterStep }) => {
    await nextTurn();
    enter('work');
    if (after === 'commit') enter('commit');
    vi.advanceTimersByTime(20);
    await once(deadline.signal, 'abort');
    throw error;
  };
  await deadline.transaction(run, {}).catch(() => {});
  await deadline.settled();
  return deadline;
}

it('a database that becomes unavailable during a commit leaves open whether the change was written', async () => {
  expect((await cutOff('commit', new DatabaseUnavailableError())).isUncertain).toBe(true);
});

it('a database that becomes unavailable before the commit has not written the change', async () => {
  expect((await cutOff('work', new DatabaseUnavailableError())).isUncertain).toBe(false);
});

it('a refused commit has not written the change', async () => {
  expect((await cutOff('commit', new Error('conflict with another transaction'))).isUncertain).toBe(false);
});

it('passes at its time, also while synchronous work delays its timer', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const deadline = new Deadline(60_000);
  vi.advanceTimersByTime(59_999);
  deadline.check();
  vi.advanceTimersByTime(1);
  expect(() => deadline.check()).toThrow('The operation took longer than 60000 ms');
  // A resolving field must not abort the executor.
  expect(deadline.signal.aborted).toBe(false);
  await nextTurn();
  expect(deadline.signal.aborted).toBe(true);
  deadline.end();

  const left = new Deadline(60_000);
  left.giveUp();
  expect(() => left.check()).toThrow('The client disconnected');
});

it('ends transactions that do not commit yet, and awaits running commits', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const deadline = new Deadline(20);
  let release = () => {};
  const opened = new Promise<void>((resolve) => (release = resolve));
  const transaction = (...steps: Parameters<EnterStep>[0][]) =>
    deadline.transaction(async ({ enter }) => {
      await nextTurn();
      for (const step of steps) enter(step);
      await opened;
      return enter;
    }, {});
  const begun = transaction('work');
  const committing = transaction('work', 'commit');
  const repeated = transaction('work', 'commit', 'work');
  await nextTurn();
  vi.advanceTimersByTime(20);
  for (const ended of [begun, repeated]) await expect(ended).rejects.toBe(deadline.reason);
  let isSettled = false;
  const settled = deadline.settled().then(() => (isSettled = true));
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  expect(isSettled).toBe(false);
  release();
  await settled;
  const enter = await committing;
  for (const step of ['work', 'commit'] as const) expect(() => enter(step)).toThrow(deadline.reason);
  expect(await deadline.within(Promise.resolve('made'))).toBe('made');
});

it('ends a transaction that waits for its turn, and undoes it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const deadline = new Deadline(20);
  let release = () => {};
  const turn = new Promise<void>((resolve) => (release = resolve));
  const undone = vi.fn<(error: unknown) => never>((error) => {
    throw error;
  });
  const refused = vi.fn<(error: unknown) => void>();
  const queued = deadline.transaction(({ enter }) => turn.then(() => enter('work')).catch(undone), {}).catch(refused);
  vi.advanceTimersByTime(20);
  for (let turns = 0; turns < 2; turns++) await nextTurn();
  expect(refused).toHaveBeenCalledExactlyOnceWith(deadline.reason);
  release();
  await queued;
  await nextTurn();
  expect(undone).toHaveBeenCalledExactlyOnceWith(deadline.reason);
});

it('is settled after the code that waits for a running commit has noted its change', async () => {
  const deadline = new Deadline(60_000);
  onTestFinished(() => deadline.end());
  let release = () => {};
  const committed = new Promise<void>((resolve) => (release = resolve));
  const observed = deadline
    .transaction(async ({ enter }) => {
      await nextTurn();
      enter('work');
      enter('commit');
      await committed;
    }, {})
    .then(async () => {
      // Functions between the transaction and its observer.
      for (let calls = 0; calls < 10; calls++) await Promise.resolve();
      deadline.hasWritten = true;
    });
  await nextTurn();
  const settled = deadline.settled().then(() => deadline.hasWritten);
  release();
  expect(await settled).toBe(true);
  await observed;
});

it('has no timer after its end', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  new Deadline(20).end();
  expect(vi.getTimerCount()).toBe(0);
});
