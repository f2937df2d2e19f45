/** Rendering for one operation does not keep others waiting. */
import { expect, test } from 'vitest';
import { hint, XmlRenderer } from '@parley/context';
import { SystemPrompts } from '../../src/graphql/branch/system-prompts.js';

const renderer = new XmlRenderer();

test('one of another operation is rendered before the second of one that asked for many', async () => {
  const order: string[] = [];
  const ask = (prompts: SystemPrompts, name: string) =>
    prompts.render([hint(name)], renderer).then((prompt) => void order.push(prompt));
  const many = new SystemPrompts();
  const asked = ['a', 'b', 'c'].map((name) => ask(many, name));
  await Promise.all([...asked, ask(new SystemPrompts(), 'other')]);
  expect(order).toEqual(['a', 'other', 'b', 'c'].map((name) => `<hint>${name}</hint>`));
});

test('between two there is a turn of the event loop, for whatever else there is to do', async () => {
  let turn = 0;
  let pending = setImmediate(function next() {
    turn += 1;
    pending = setImmediate(next);
  });
  const prompts = new SystemPrompts();
  const turns: number[] = [];
  await Promise.all(['a', 'b', 'c'].map((name) => prompts.render([hint(name)], renderer).then(() => turns.push(turn))));
  clearImmediate(pending);
  expect(new Set(turns).size).toBe(3);
});

test('one that is refused does not hold up the next', async () => {
  const prompts = new SystemPrompts();
  const wrong = prompts.render([hint('\u001b')], renderer);
  const right = prompts.render([hint('x')], renderer);
  await expect(wrong).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'fragments.0.data' });
  expect(await right).toBe('<hint>x</hint>');
});
