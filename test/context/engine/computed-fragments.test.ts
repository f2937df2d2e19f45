/** Fragments that each model call computes, and the number of turns. */
import { beforeEach, describe, expect, test } from 'vitest';
import { assistant, ContextEngine, fragment, hint, role, user, XmlRenderer, type ContextStore } from '@parley/context';
import { failureOf } from '../store-failure.js';
import { openStores } from '../stores.js';

const stores = openStores();
const renderer = new XmlRenderer();
let store: ContextStore;
beforeEach(() => void (store = stores.get('remote')));
const open = () => new ContextEngine({ store, chatId: 'c', userId: 'u' });

describe('computed fragments', () => {
  test('each call runs a function again, and awaits promises, in the order of set()', async () => {
    let calls = 0;
    const engine: ContextEngine = open().set(
      () => fragment('calls', ++calls),
      role('Helper'),
      Promise.resolve(hint('promised')),
      async () => fragment('turns', await engine.countTurns()),
    );
    const prompts = [await engine.resolve({ renderer }), await engine.fork().resolve({ renderer })];
    expect(prompts.map(({ systemPrompt }) => systemPrompt.split('\n'))).toEqual(
      [1, 2].map((call) => [
        `<calls>${call}</calls>`,
        '<role>Helper</role>',
        '<hint>promised</hint>',
        '<turns>0</turns>',
      ]),
    );
    expect(engine.fragments.map(({ name }) => name)).toEqual(['role']);
  });

  test('a call fails with the error of a function or promise, and keeps pending messages', async () => {
    const rejected = open().set(Promise.reject(new Error('no weather')), user('Hello'));
    await expect(rejected.resolve({ renderer })).rejects.toThrow('no weather');
    expect(rejected.pendingMessages).toHaveLength(1);
    await rejected.save();
    expect(await rejected.countTurns()).toBe(1);
  });

  test('messages and values without a name are refused by their position', async () => {
    const failures = await Promise.all(
      [() => user('Hello'), () => 'text' as never].map((source) =>
        failureOf(open().set(hint('first'), source).resolve({ renderer })),
      ),
    );
    expect(failures).toMatchObject([
      { code: 'INVALID_INPUT', path: '1', message: 'Fragment 1 is computed, and must not be a message' },
      { code: 'INVALID_INPUT', path: '1' },
    ]);
  });
});

test('a turn begins with a message of the user, saved or pending, on the branch of the engine', async () => {
  const engine = open();
  expect(await engine.countTurns()).toBe(0);
  await engine.set(user('1', { id: 'q' }), user('1, too'), assistant('2'), user('3'), assistant('4')).save();
  await engine.saveSummary('All of it');
  expect(await engine.countTurns()).toBe(2);
  engine.set(user('5'));
  expect(await engine.countTurns()).toBe(3);
  await engine.rewind('q');
  expect(await engine.countTurns()).toBe(1);
});
