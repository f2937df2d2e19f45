import { expect, onTestFinished, test, vi } from 'vitest';
import { endPauses, lookTwice } from '../src/pause.js';

test('the second look comes after two seconds, also when other pauses end', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const looks: boolean[] = [];
  const looking = lookTwice(new AbortController().signal, async (isAgain) => looks.push(isAgain));
  await vi.advanceTimersByTimeAsync(1_999);
  endPauses();
  await vi.advanceTimersByTimeAsync(0);
  expect(looks).toEqual([false]);
  await vi.advanceTimersByTimeAsync(1);
  await looking;
  expect(looks).toEqual([false, true]);
});
