/** Time that goes by when a test wants it to, for operations that may take only so long. */
import { expect, onTestFinished, vi } from 'vitest';

/** A clock that advances only in `late` and with Vitest's timers, independently of the machine. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Expects repeated refusals for waiting requests until their time is over. */
export async function late<T>(answers: Promise<T>, timeoutMs: number): Promise<T> {
  let isOver = false;
  const over = answers.finally(() => (isOver = true));
  await expect
    .poll(() => {
      vi.advanceTimersByTime(timeoutMs);
      return isOver;
    })
    .toBe(true);
  return over;
}
