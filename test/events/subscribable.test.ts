import { expect, test } from 'vitest';
import type { Following } from '../../src/events/following.js';
import { Stream, Subscribable, type StreamItem } from '../../src/events/subscribable.js';

/** Counts up to the position of its source. The source grows while the stream finds no item. */
class Counter extends Stream<number, Subscribable> {
  protected async take(): Promise<StreamItem<number> | undefined> {
    const { source, following } = this;
    if (following.position < source.position) {
      return { value: following.position + 1, place: { position: following.position + 1 } };
    }
    await Promise.resolve();
    const result = undefined;
    if (source.position === 0) {
      source.position = 1;
      source.notify();
    }
    return result;
  }
}

const start = (released: () => void = () => {}) => {
  const source = new Subscribable();
  const following: Following = { startAt: null, position: 0, isOver: false };
  return { source, stream: new Counter(source, following, released) };
};

test('a stream delivers an item that is published while it reads', async () => {
  const { stream } = start();
  expect(await stream.next()).toEqual({ done: false, value: 1 });
});

test('a lost source fails its waiting streams, which then end and are released once', async () => {
  let released = 0;
  const { source, stream } = start(() => released++);
  source.position = 1;
  await stream.next();
  const waiting = stream.next();
  source.lose(new Error('lost'));
  await expect(waiting).rejects.toThrow('lost');
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  await stream.return();
  expect(released).toBe(1);
});
