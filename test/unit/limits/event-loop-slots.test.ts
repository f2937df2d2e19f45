/** Nobody has the event loop for long, whatever waits. */
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { EventLoopSlots } from '../../../src/scheduler/event-loop-slots.js';

let order: string[];
let turns: EventLoopSlots;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  order = [];
  turns = new EventLoopSlots();
});

/** What a client asks for: some queries, each of which keeps the process busy. */
async function ask(name: string, queries: number, ms: number): Promise<void> {
  for (let n = 0; n < queries; n++) {
    await turns.run(async () => {
      order.push(name);
      vi.advanceTimersByTime(ms);
    });
  }
}

/** What else the loop has to do, told once a turn. */
function others(): void {
  const turn = () => {
    order.push('-');
    immediate = setImmediate(turn);
  };
  let immediate = setImmediate(turn);
  onTestFinished(() => clearImmediate(immediate));
}

it('queries run in one turn while it is short', async () => {
  others();
  await Promise.all([ask('a', 3, 1), ask('b', 2, 1)]);
  expect(order.sort()).toEqual(['a', 'a', 'a', 'b', 'b']);
});

it('they let the loop turn before it has been busy for long', async () => {
  others();
  await ask('a', 5, 4);
  expect(order.join('')).toBe('aaa-aa');
});

it('waiting calls run in order, before later calls of the same caller', async () => {
  await ask('first', 1, 10);
  others();
  await Promise.all([ask('a', 2, 4), ask('b', 2, 4), ask('c', 1, 4)]);
  const [, ...waited] = order;
  expect(waited.join('')).toMatch(/^-*abc-+ab$/);
});

it('those that are asked for at once are not all let in at once', async () => {
  others();
  await Promise.all(['a', 'b', 'c'].map((name) => ask(name, 1, 20)));
  expect(order.join('')).toMatch(/^a-+b-+c$/);
});

it('a failed call and a nested call delay no other call', async () => {
  await expect(turns.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await turns.run(() => ask('inner', 2, 20));
  await ask('last', 1, 1);
  expect(order).toEqual(['inner', 'inner', 'last']);
});

it('a query without waiting queries does not wait', async () => {
  await ask('a', 4, 10);
  await new Promise((resolve) => setImmediate(resolve));
  order = [];
  const asked = ask('b', 1, 0);
  // Promises alone bring it there: no turn is needed.
  await Promise.resolve();
  await Promise.resolve();
  expect(order).toEqual(['b']);
  await asked;
});
