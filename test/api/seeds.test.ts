/** Errors of the original system that Parley must not repeat, and its exact texts that clients rely on. */
import { describe, expect, test } from 'vitest';
import {
  branchesOf,
  chatOfFour,
  createChat,
  CreateChat,
  Rewind,
  save,
  SaveMessages,
  SwitchBranch,
  userMessage,
} from '../support/chats/operations.js';

describe('concurrent appends', () => {
  test('of 8 writers all succeed, on one chain', async () => {
    const parley = await chatOfFour();
    const ids = Array.from({ length: 8 }, (_, n) => `w${n}`);
    await Promise.all(ids.map((id) => save(parley, { chatId: 'c', messages: [userMessage(id)] })));
    const { 'main*': chain } = await branchesOf(parley, 'c');
    expect(chain?.slice(0, 4)).toEqual(['m1', 'm2', 'm3', 'm4']);
    expect(chain?.slice(4).sort()).toEqual(ids);
  });

  test('return a typed conflict with the unseen messages when requested', async () => {
    const parley = await chatOfFour();
    await save(parley, { chatId: 'c', messages: [userMessage('first')], expectedHead: { id: 'm4' } });
    const { saveMessages } = await parley.run(SaveMessages, {
      input: { chatId: 'c', messages: [userMessage('second')], expectedHead: { id: 'm4' }, onConflict: 'REJECT' },
    });
    expect(saveMessages).toMatchObject({
      __typename: 'HeadConflictError',
      code: 'HEAD_CONFLICT',
      message: 'The head of branch "main" is message "first", not message "m4"',
      expectedHeadId: 'm4',
      actualHead: { id: 'first' },
      newerMessages: [{ id: 'first' }],
    });
    expect(await branchesOf(parley, 'c')).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4', 'first'] });
  });
});

describe('branch names', () => {
  test('use the highest number plus one; main-video is not numbered', async () => {
    const parley = await chatOfFour();
    const rewind = async (branchName?: string) => {
      await parley.run(SwitchBranch, { input: { chatId: 'c', name: 'main' } });
      const { rewind: result } = await parley.run(Rewind, {
        input: { chatId: 'c', at: { message: 'm2' }, branchName },
      });
      return result.__typename === 'BranchPayload' ? result.branch.name : result.message;
    };
    await rewind('main-v3');
    await rewind('main-video');
    expect(await rewind()).toBe('main-v4');
    expect(await rewind('main-v4')).toBe('Branch "main-v4" already exists in chat "c"');
    expect(await rewind()).toBe('main-v5');
  });
});

describe('an object of another chat', () => {
  test('is refused as head, as checkpoint, as sibling and as expected head', async () => {
    const parley = await chatOfFour();
    await createChat(parley, 'other');
    const { data } = await parley.ask(`mutation {
      rewind(input: { chatId: "other", at: { message: "m1" } }) { ...E }
      createCheckpoint(input: { chatId: "other", name: "n", messageId: "m1" }) { ...E }
      switchToSibling(input: { chatId: "other", messageId: "m1" }) { ...E }
      editMessage(input: { chatId: "other", messageId: "m1", content: { text: "x" } }) { ...E }
      saveMessages(input: {
        chatId: "other", expectedHead: { id: "m1" }, onConflict: FORK, messages: [{ name: "user", content: { text: "x" } }]
      }) { ...E }
    }
    fragment E on Error { __typename code message }`);
    const refusal = {
      __typename: 'NotFoundError',
      code: 'NOT_FOUND',
      message: 'Message "m1" belongs to a different chat',
    };
    expect(Object.values(data ?? {})).toEqual([refusal, refusal, refusal, refusal, refusal]);
    expect(await branchesOf(parley, 'other')).toEqual({ 'main*': [] });
  });

  test('is not overwritten by saving under its id', async () => {
    const parley = await chatOfFour();
    await createChat(parley, 'other');
    const { saveMessages } = await parley.run(SaveMessages, {
      input: { chatId: 'other', messages: [userMessage('m1', 'taken over')], onConflict: 'REJECT' },
    });
    expect(saveMessages).toMatchObject({
      __typename: 'AlreadyExistsError',
      message: 'Message "m1" belongs to a different chat',
    });
    expect(await parley.ask('{ message(id: "m1") { text chat { id } } }')).toEqual({
      data: { message: { text: 'm1', chat: { id: 'c' } } },
    });
  });
});

describe('chats', () => {
  test('of the user "" cannot be listed', async () => {
    const parley = await chatOfFour();
    const { data, errors } = await parley.ask('{ chats(filter: { userId: "" }) { totalCount } }');
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { message: 'filter.userId must not be empty', extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    const { createChat: created } = await parley.run(CreateChat, { input: { userId: '' } });
    expect(created).toMatchObject({ __typename: 'InvalidInputError', path: 'userId' });
  });
});

describe('the exact texts that clients rely on', () => {
  test.each([
    ['rewind(input: { chatId: "c", at: { message: "x" } })', 'Message "x" not found'],
    ['switchBranch(input: { chatId: "c", name: "x" })', 'Branch "x" not found in chat "c"'],
    ['restoreCheckpoint(input: { chatId: "c", name: "x" })', 'Checkpoint "x" not found in chat "c"'],
    ['deleteCheckpoint(input: { chatId: "c", name: "x" })', 'Checkpoint "x" not found in chat "c"'],
    ['updateChat(input: { chatId: "nowhere" })', 'Chat "nowhere" not found'],
    ['deleteChat(input: { chatId: "nowhere" })', 'Chat "nowhere" not found'],
    ['btw(input: { chatId: "empty" })', 'Cannot create btw branch: no messages in conversation'],
    [
      'createCheckpoint(input: { chatId: "empty", name: "n" })',
      'Cannot create checkpoint: no messages in conversation',
    ],
    [
      'saveMessages(input: { chatId: "c", messages: [{ id: "x", name: "user", content: { text: "" } }, ' +
        '{ id: "x", name: "user", content: { text: "" } }] })',
      'Message x cannot be its own parent',
    ],
    [
      'saveMessages(input: { chatId: "c", at: { message: "m1" }, messages: [{ id: "m1", name: "user", content: { text: "" } }] })',
      'Message m1 cannot be its own parent',
    ],
  ])('%s', async (mutation, message) => {
    const parley = await chatOfFour();
    await createChat(parley, 'empty');
    const { data } = await parley.ask(`mutation { result: ${mutation} { ... on Error { message } } }`);
    expect(data).toEqual({ result: { message } });
  });
});
