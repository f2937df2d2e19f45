/** No waiting work can occupy the event loop for long. */
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

/** Runs queries one after the other, each of which blocks the process for a time. */
async function ask(name: string, queries: number, ms: number): Promise<void> {
  for (let n = 0; n < queries; n++) {
    await turns.run(async () => {
      order.push(name);
      vi.advanceTimersByTime(ms);
    });
  }
}

/** Records each turn of the event loop, in which other work can run. */
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

it('the event loop turns before queries have blocked it for long', async () => {
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

it('simultaneous long queries run in separate turns', async () => {
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
  // Microtasks suffice: no turn of the event loop is needed.
  await Promise.resolve();
  await Promise.resolve();
  expect(order).toEqual(['b']);
  await asked;
});
