/** The inputs of positions and of expected heads: `at` and `expectedHead`. */
import { expect, test } from 'vitest';
import { createChat, userMessage } from '../support/chats/operations.js';
import { openParley } from '../support/server/parley.js';
import { BRANCH, chatOfThree, mutate, SAVED, saveAt, type Fields } from './changed-chats.js';

test('a save at the start begins another thread, and a repeated one writes nothing', async () => {
  const parley = await chatOfThree();
  const input = { at: { start: true }, messages: [userMessage('x'), userMessage('y')] };
  const saved = {
    branched: true,
    branch: { name: 'main-v2', isActive: true },
    messages: [
      { id: 'x', parentId: null, siblingIndex: 1 },
      { id: 'y', parentId: 'x' },
    ],
  };
  expect(await saveAt(parley, input)).toMatchObject(saved);
  expect(await saveAt(parley, input)).toMatchObject({ ...saved, branched: false });
  const draft = (field: string, more: Fields, selection: string) =>
    mutate(parley, field, { chatId: 'c', id: 'd', ...more }, selection);
  await draft('startDraft', { at: { start: true } }, '');
  await draft('appendToDraft', { offset: 0, chunks: ['z'] }, '');
  expect(await draft('finishDraft', {}, SAVED)).toMatchObject({
    branched: true,
    branch: { isActive: true },
    messages: [{ id: 'd', parentId: null, siblingIndex: 2 }],
  });
  await createChat(parley, 'empty');
  const first = { chatId: 'empty', at: { start: true }, messages: [userMessage('first')] };
  expect(await saveAt(parley, first)).toMatchObject({ branched: false, branch: { name: 'main' } });
});

test('null for a position or an expected head means that it is not given', async () => {
  const parley = await chatOfThree();
  const input = { at: null, expectedHead: null, messages: [userMessage('d')] };
  expect(await saveAt(parley, input)).toMatchObject({ branched: false, messages: [{ parentId: 'c' }] });
  expect(await mutate(parley, 'btw', { chatId: 'c', at: null }, BRANCH)).toMatchObject({ branch: { name: 'main-v2' } });
});

test.each([
  ['SaveMessagesInput', 'saveMessages', { messages: [], at: { message: null } }, 'input.at.message'],
  ['SaveMessagesInput', 'saveMessages', { messages: [], expectedHead: { id: null } }, 'input.expectedHead.id'],
  ['RewindInput', 'rewind', { at: { message: 'a', start: true } }, 'input.at'],
  ['RewindInput', 'rewind', { at: {} }, 'input.at'],
  ['RewindInput', 'rewind', {}, 'at'],
])('%s refuses anything but one member, with its path', async (type, field, input, path) => {
  const parley = await openParley();
  const document = `mutation ($input: ${type}!) { ${field}(input: $input) { __typename } }`;
  const { errors } = await parley.ask(document, { input: { chatId: 'c', ...input } });
  expect(errors?.map(({ message }) => message)).toEqual([expect.stringContaining(`"${path}"`)]);
});
