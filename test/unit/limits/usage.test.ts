/** The turns of answers, the slots of transfers, and their bytes on disk. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { TooSlowError } from '../../../src/conversation/errors.js';
import { DEFAULT_LIMITS } from '../../../src/limits/limits.js';
import { Spool } from '../../../src/limits/spool.js';
import { LARGE_JSON_BYTES, Usage } from '../../../src/limits/usage.js';
import { TransferSlots } from '../../../src/limits/transfer-slots.js';
import { answerTurns, UNITS_PER_TURN } from '../../../src/scheduler/work-turns.js';
import { collect } from '../../support/collect.js';

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
  expect(vi.getTimerCount()).toBe(0);
});

it('large JSON waits for a turn without other large JSON, and small JSON does not wait', async () => {
  const usage = new Usage(DEFAULT_LIMITS, { areUsersKnown: true });
  const begun: string[] = [];
  const begin = (name: string, bytes: number) => usage.beginLarge('alice', bytes).then(() => begun.push(name));
  await Promise.all([
    begin('large', LARGE_JSON_BYTES),
    begin('next large', LARGE_JSON_BYTES),
    begin('small', LARGE_JSON_BYTES - 1),
  ]);
  expect(begun.at(-1)).toBe('next large');
});

it('a refused transfer takes no slot of its user, and an ended one releases its slot', () => {
  const exports = new TransferSlots('exports', { ofAUser: 2, ofAll: 8 });
  const [one, two] = Array.from({ length: 8 }, (_, n) => exports.begin(`user ${n % 4}`));
  const begin = () => exports.begin('alice');
  for (let n = 0; n < 3; n++) expect(begin).toThrow('The server has 8 exports');
  one!();
  two!();
  const end = begin();
  begin();
  expect(begin).toThrow('This user has 2 exports');
  end();
  expect(begin).not.toThrow();
  expect(begin).toThrow('This user has 2 exports');
});

it('the uploads of a user, and all together, have a limited number of bytes on disk', () => {
  const spool = new Spool(100, 0.5);
  const hold = (userId: string) => spool.hold(userId);
  const [one, two, bobs, late] = [hold('ann'), hold('ann'), hold('bob'), hold('eve')];
  one.setBytes(40);
  one.setBytes(50);
  expect(() => two.setBytes(1)).toThrow('The uploads of this user have more than 50 bytes');
  two.release();
  bobs.setBytes(50);
  expect(() => late.setBytes(11)).toThrow('All uploads have more than 100 bytes');
  // A file that becomes smaller is not refused.
  one.setBytes(45);
  one.release();
  two.setBytes(39);
  expect(() => two.setBytes(40)).toThrow('All uploads have more than 100 bytes');
});

it('an operation that ends releases the values that wait for their turn', async () => {
  const usage = new Usage(DEFAULT_LIMITS, { areUsersKnown: true });
  const { content, end } = usage.begin('alice', { isMutation: false });
  const values: WeakRef<object>[] = [];
  const work = (value: object) => {
    values.push(new WeakRef(value));
    void answerTurns.begin('alice', 1, content)?.then(() => values.push(value as never));
  };
  // Takes many turns, in which other pieces of the user wait.
  expect(answerTurns.begin('alice', 100 * UNITS_PER_TURN, content)).toBeNull();
  work({});
  work({});
  end();
  await nextTurn();
  collect();
  expect(values.map((value) => value.deref())).toEqual([undefined, undefined]);
});
