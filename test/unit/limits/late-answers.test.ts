/** An answer of a subscription that cannot begin in the time of a query ends the subscription. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { TooSlowError } from '../../../src/conversation/errors.js';
import { DEFAULT_LIMITS } from '../../../src/limits/limits.js';
import { Usage } from '../../../src/limits/usage.js';

it('an answer waits for its turn for the time of a query, and its follower leaves then', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const usage = new Usage({ ...DEFAULT_LIMITS, queryTimeoutMs: 1_000 }, { areUsersKnown: true });
  const begin = (leaving = new AbortController()) => usage.beginAnswer('alice', leaving, 0);
  const [first] = await Promise.all([begin(), begin()]);
  const leaving = new AbortController();
  const waiting = begin(leaving);
  const refused = expect(waiting).rejects.toThrow(
    new TooSlowError('The answer waited longer than 1000 ms: continue with after'),
  );
  vi.advanceTimersByTime(999);
  expect(leaving.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  await refused;
  expect(leaving.signal.aborted).toBe(true);

  // The next one takes the place of an answer that ended.
  const next = begin();
  first.end();
  (await next).end();
});
