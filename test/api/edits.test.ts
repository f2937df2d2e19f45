/** Edits, retries, siblings and lazy ids: cases in which the original system was wrong. */
import { describe, expect, test } from 'vitest';
import {
  assistantMessage,
  branchesOf,
  chatOfFour,
  EditMessage,
  Rewind,
  save,
  SwitchBranch,
  userMessage,
} from '../support/chats/operations.js';

describe('edits', () => {
  test('of the root make a second root on a new branch', async () => {
    const parley = await chatOfFour();
    const { editMessage } = await parley.run(EditMessage, {
      input: { chatId: 'c', messageId: 'm1', content: { text: 'other' } },
    });
    expect(editMessage).toMatchObject({
      branched: true,
      branch: { name: 'main-v2', isActive: true },
      messages: [{ parentId: null, depth: 0, text: 'other' }],
    });
    expect((await branchesOf(parley, 'c'))['main']).toEqual(['m1', 'm2', 'm3', 'm4']);
  });

  test('by saving under an existing id keep the original', async () => {
    const parley = await chatOfFour();
    const { messages, branch } = await save(parley, { chatId: 'c', messages: [userMessage('m3', 'edited')] });
    const [edited] = messages;
    expect(edited).toMatchObject({ parentId: 'm2', text: 'edited' });
    expect(branch.name).toBe('main-v2');
    expect(await branchesOf(parley, 'c')).toEqual({
      main: ['m1', 'm2', 'm3', 'm4'],
      'main-v2*': ['m1', 'm2', edited?.id],
    });
    const { data } = await parley.ask('{ message(id: "m3") { text } }');
    expect(data).toEqual({ message: { text: 'm3' } });
  });

  test('of two messages in one save both become new messages', async () => {
    const parley = await chatOfFour();
    const { messages } = await save(parley, {
      chatId: 'c',
      messages: [assistantMessage('m2', 'edited 2'), assistantMessage('m4', 'edited 4')],
    });
    const [second, fourth] = messages.map((message) => message.id);
    expect(new Set(['m1', 'm2', 'm3', 'm4', second, fourth]).size).toBe(6);
    expect(await branchesOf(parley, 'c')).toEqual({
      main: ['m1', 'm2', 'm3', 'm4'],
      'main-v2*': ['m1', second, fourth],
    });
  });
});

test('messages after a recognised edit follow it, unless it has other children', async () => {
  const parley = await chatOfFour();
  const edit = assistantMessage('m2', 'edited');
  const { messages } = await save(parley, { chatId: 'c', messages: [edit] });
  await save(parley, { chatId: 'c', branch: 'main-v2', messages: [userMessage('of another client')] });
  const again = await save(parley, {
    chatId: 'c',
    branch: 'main',
    expectedHeadId: 'm4',
    messages: [edit, userMessage('behind')],
  });
  expect(again).toMatchObject({ branched: true, messages: [{ id: messages[0]?.id }, { parentId: messages[0]?.id }] });
  expect(await branchesOf(parley, 'c')).toEqual({
    main: ['m1', 'm2', 'm3', 'm4'],
    'main-v2': ['m1', messages[0]?.id, 'of another client'],
    'main-v3*': ['m1', messages[0]?.id, 'behind'],
  });
});

describe('retries', () => {
  test('with the same ids are recognised, and nothing is written twice', async () => {
    const parley = await chatOfFour();
    const request = { chatId: 'c', messages: [userMessage('m5'), assistantMessage('m6')], expectedHeadId: 'm4' };
    const first = await save(parley, request);
    const again = await save(parley, request);
    expect(again).toEqual(first);
    expect(await branchesOf(parley, 'c')).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'] });
  });

  test('are recognised after later changes, and with another order of keys', async () => {
    const parley = await chatOfFour();
    const withData = (data: unknown) => ({
      chatId: 'c',
      messages: [{ id: 'm5', name: 'user', type: 'message', content: { data } }],
    });
    const first = await save(parley, withData({ a: 1, b: [1, { c: 2 }] }));
    await save(parley, { chatId: 'c', messages: [userMessage('m6')] });
    const again = await save(parley, withData({ b: [1, { c: 2 }], a: 1 }));
    expect(again.messages).toEqual(first.messages);
    expect(again.chat.version).toBe(first.chat.version + 1);
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

  test('are activated at their newest leaf, on the branch that ends there or a new one', async () => {
    const parley = await chatOfFour();
    const { messages } = await save(parley, {
      chatId: 'c',
      messages: [assistantMessage('m2', 'other'), userMessage('behind')],
    });
    const switchTo = async (messageId: string | undefined) => {
      const { data } = await parley.ask(
        `mutation ($id: ID!) { switchToSibling(input: { chatId: "c", messageId: $id }) {
          ... on BranchPayload { branch { name isActive head { id } } } } }`,
        { id: messageId },
      );
      return (data as { switchToSibling: { branch: unknown } }).switchToSibling.branch;
    };
    expect(await switchTo('m2')).toEqual({ name: 'main', isActive: true, head: { id: 'm4' } });
    expect(await switchTo(messages[0]?.id)).toEqual({ name: 'main-v2', isActive: true, head: { id: 'behind' } });
    // main continues at m4: no branch ends at the leaf below m3's other version.
    await save(parley, { chatId: 'c', branch: 'main', messages: [userMessage('m3', 'aside'), userMessage('aside 2')] });
    await parley.run(SwitchBranch, { input: { chatId: 'c', name: 'main-v2' } });
    await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm4', branchName: 'to be moved' } });
    expect(await switchTo('m2')).toMatchObject({ name: 'main-v3', head: { id: 'aside 2' } });
  });
});
