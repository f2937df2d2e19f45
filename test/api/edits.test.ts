/** Edits, retries, siblings and lazy ids: cases in which the original system was wrong. */
import { describe, expect, test } from 'vitest';
import { assistantMessage, branchesOf, chatOfFour, save, userMessage } from '../support/chats/operations.js';

test('messages after a recognised edit follow it, unless it has other children', async () => {
  const parley = await chatOfFour();
  const edit = assistantMessage('m2', 'edited');
  const { messages } = await save(parley, { chatId: 'c', messages: [edit] });
  await save(parley, { chatId: 'c', branch: 'main-v2', messages: [userMessage('of another client')] });
  const again = await save(parley, {
    chatId: 'c',
    branch: 'main',
    expectedHead: { id: 'm4' },
    messages: [edit, userMessage('behind')],
  });
  expect(again).toMatchObject({ branched: true, messages: [{ id: messages[0]?.id }, { parentId: messages[0]?.id }] });
  expect(await branchesOf(parley, 'c')).toEqual({
    main: ['m1', 'm2', 'm3', 'm4'],
    'main-v2': ['m1', messages[0]?.id, 'of another client'],
    'main-v3*': ['m1', messages[0]?.id, 'behind'],
  });
});

/** Whether a save of data under the id of other data, both as JSON, is an edit. */
async function isEdit(one: string, other: string): Promise<boolean> {
  const parley = await chatOfFour();
  const query = `mutation ($data: JSON!) {
    saveMessages(input: { chatId: "c", messages: [{ id: "m5", name: "user", content: { data: $data } }] }) {
      ... on SaveMessagesPayload { branched } } }`;
  const write = (data: string) => parley.post(`{"query":${JSON.stringify(query)},"variables":{"data":${data}}}`);
  await write(one);
  const { data } = (await (await write(other)).json()) as { data: { saveMessages: { branched: boolean } } };
  return data.saveMessages.branched;
}

describe('retries', () => {
  test.each([
    ['keys in another order', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['numbers in another spelling', '{"n":100}', '{"n":1.0e2}'],
    ['letters in another spelling', '["é"]', '["\\u00e9"]'],
    ['a member __proto__', '{"__proto__":{"a":1},"b":2}', '{"b":2,"__proto__":{"a":1}}'],
    ['a negative zero', '[0]', '[-0]'],
  ])('are recognised with %s', async (_, one, other) => expect(await isEdit(one, other)).toBe(false));

  test.each([
    ['elements in another order', '[1,2]', '[2,1]'],
    ['a number as text', '{"n":1}', '{"n":"1"}'],
    ['a member more', '{"a":1}', '{"a":1,"b":null}'],
    ['a member __proto__ that differs', '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['an array in place of an object', '{}', '[]'],
    ['true in place of 1', '[1]', '[true]'],
  ])('with %s are edits', async (_, one, other) => expect(await isEdit(one, other)).toBe(true));

  test.each([{ name: 'assistant' }, { type: 'note' }])('with %j are edits', async (other) => {
    const parley = await chatOfFour();
    const message = { ...userMessage('m5'), content: { data: 'a' } };
    await save(parley, { chatId: 'c', messages: [message] });
    expect(await save(parley, { chatId: 'c', messages: [{ ...message, ...other }] })).toMatchObject({ branched: true });
  });

  test('are recognised after later changes', async () => {
    const parley = await chatOfFour();
    const input = { chatId: 'c', messages: [userMessage('m5')] };
    const first = await save(parley, input);
    await save(parley, { chatId: 'c', messages: [userMessage('m6')] });
    const again = await save(parley, input);
    expect(again.messages).toEqual(first.messages);
    expect(again.chat.version).toBe(first.chat.version + 1);
  });

  test('of a text may send it as the UI message that was saved', async () => {
    const parley = await chatOfFour();
    const uiMessage = (id: string) => ({
      chatId: 'c',
      messages: [
        { ...userMessage('m1'), content: { data: { parts: [{ text: 'm1', type: 'text' }], role: 'user', id } } },
      ],
    });
    expect(await save(parley, uiMessage('m1'))).toMatchObject({ branched: false, messages: [{ id: 'm1' }] });
    expect(await save(parley, uiMessage('m2'))).toMatchObject({ branched: true });
  });
});

describe('siblings', () => {
  test('are in the order of saving, with one time for each save', async () => {
    const parley = await chatOfFour();
    for (const n of [1, 2, 3]) {
      await save(parley, { chatId: 'c', branch: 'main', messages: [assistantMessage('m2', `version ${n}`)] });
    }
    const { data } = await parley.ask(`{
      message(id: "m2") { siblingIndex siblingCount siblings { text seq siblingIndex } parent { children { totalCount } } }
      chat(id: "c") { branch(name: "main") { chain { createdAt } } }
    }`);
    expect(data).toMatchObject({
      message: {
        siblingIndex: 0,
        siblingCount: 4,
        siblings: [
          { text: 'm2', seq: 2, siblingIndex: 0 },
          { text: 'version 1', seq: 5, siblingIndex: 1 },
          { text: 'version 2', seq: 6, siblingIndex: 2 },
          { text: 'version 3', seq: 7, siblingIndex: 3 },
        ],
        parent: { children: { totalCount: 4 } },
      },
    });
    const { chat } = data as { chat: { branch: { chain: { createdAt: string }[] } } };
    expect(new Set(chat.branch.chain.map((message) => message.createdAt)).size).toBe(1);
  });
});
