/** The outcome of a change whose operation exceeds its time limit. */
import { once } from 'node:events';
import { setImmediate as connected } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Deadline, type TransactionSteps } from '../../../src/limits/deadline.js';
import { DatabaseUnavailableError } from '../../../src/conversation/errors.js';

/** A transaction that fails at the deadline, after this step. */
async function cutOff(after: 'begin' | 'commit', error: Error): Promise<Deadline> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const deadline = new Deadline(20);
  const run = async ({ begin, commit }: TransactionSteps) => {
    await connected();
    begin();
    if (after === 'commit') commit();
    vi.advanceTimersByTime(20);
    await once(deadline.signal, 'abort');
    throw error;
  };
  await deadline.transaction(run).catch(() => {});
  await deadline.settled();
  return deadline;
}

it('a database that becomes unavailable during a commit leaves open whether the change was written', async () => {
  expect((await cutOff('commit', new DatabaseUnavailableError())).isUncertain).toBe(true);
});

it('a database that becomes unavailable before the commit has not written the change', async () => {
  expect((await cutOff('begin', new DatabaseUnavailableError())).isUncertain).toBe(false);
});

it('a refused commit has not written the change', async () => {
  expect((await cutOff('commit', new Error('conflict with another transaction'))).isUncertain).toBe(false);
});
