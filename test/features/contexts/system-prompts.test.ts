/** Rendering for one operation does not delay other operations. */
import { expect, test } from 'vitest';
import { hint, XmlRenderer } from '@parley/context';
import { SystemPrompts } from '../../../src/features/contexts/system-prompts.js';

const renderer = new XmlRenderer();

test('a prompt of another operation is rendered before the second prompt of an operation with many', async () => {
  const order: string[] = [];
  const ask = (prompts: SystemPrompts, name: string) =>
    prompts.render([hint(name)], renderer).then((prompt) => void order.push(prompt));
  const many = new SystemPrompts();
  const asked = ['a', 'b', 'c'].map((name) => ask(many, name));
  await Promise.all([...asked, ask(new SystemPrompts(), 'other')]);
  expect(order).toEqual(['a', 'other', 'b', 'c'].map((name) => `<hint>${name}</hint>`));
});

test('the event loop turns between two prompts, so that other work can run', async () => {
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

test('a refused prompt does not delay the next one', async () => {
  const prompts = new SystemPrompts();
  const wrong = prompts.render([hint('\u001b')], renderer);
  const right = prompts.render([hint('x')], renderer);
  await expect(wrong).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'fragments.0.data' });
  expect(await right).toBe('<hint>x</hint>');
});
