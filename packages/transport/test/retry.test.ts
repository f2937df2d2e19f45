import { expect, onTestFinished, test, vi } from 'vitest';
import { UnreachableError } from '../src/errors.js';
import { retry } from '../src/retry.js';

const away = new UnreachableError('away');

test('repeats work until it succeeds, after the delay of each try', async () => {
  const delay = vi.fn(() => 0);
  const work = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(away)
    .mockRejectedValueOnce(away)
    .mockResolvedValue('done');
  expect(await retry(work, delay)).toBe('done');
  expect(work).toHaveBeenCalledTimes(3);
  expect(delay.mock.calls).toEqual([[0], [1]]);
});

test('throws a reason that is not transient at once', async () => {
  const work = vi.fn(() => Promise.reject(new Error('refused')));
  await expect(retry(work, () => 0)).rejects.toThrow('refused');
  expect(work).toHaveBeenCalledTimes(1);
});

test('throws the last reason when the caller gives up, with the number of repetitions', async () => {
  const work = vi.fn(() => Promise.reject(away));
  const giveUp = vi.fn((_: unknown, tries: number) => tries < 2);
  await expect(retry(work, () => 0, undefined, giveUp)).rejects.toBe(away);
  expect(giveUp.mock.calls).toEqual([
    [away, 0],
    [away, 1],
    [away, 2],
  ]);
});

test('an abort ends the pause, and work that fails after it is not repeated', async () => {
  const aborting = new AbortController();
  const work = vi.fn(() => Promise.reject(away));
  const outcome = retry(work, () => 600_000, aborting.signal);
  await expect.poll(() => work.mock.calls.length).toBe(1);
  aborting.abort();
  await expect(outcome).rejects.toBe(away);
  expect(work).toHaveBeenCalledTimes(2);
});

test('work runs once under a signal that is aborted', async () => {
  const work = vi.fn(() => Promise.resolve('done'));
  expect(await retry(work, () => 0, AbortSignal.abort())).toBe('done');
  expect(work).toHaveBeenCalledTimes(1);
});

test('the event online ends the pause', async () => {
  const page = new EventTarget();
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page));
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page));
  onTestFinished(() => void vi.unstubAllGlobals());
  vi.resetModules();
  const { retry: retryInPage } = await import('../src/retry.js');
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(away).mockResolvedValue('done');
  const outcome = retryInPage(
    work,
    () => 600_000,
    undefined,
    () => true,
  );
  await expect.poll(() => (page.dispatchEvent(new Event('online')), work.mock.calls.length)).toBe(2);
  expect(await outcome).toBe('done');
});
