/**
 * Where the system that Parley descends from went wrong, Parley is right: a test for each case. Its exact texts, on
 * which clients rely, stand at the end.
 */
import { describe, expect, test } from 'vitest';
import { graphql } from '../generated/graphql/gql.js';
import { allRowsAt } from '../support/database/all-rows.js';
import { isInMemory } from '../support/database/database-kind.js';
import {
  assistantMessage,
  branchesOf,
  createChat,
  CreateChat,
  EditMessage,
  Rewind,
  save,
  SaveMessages,
  SwitchBranch,
  userMessage,
} from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';

/** A chat "c" whose branch main is m1 ← m2 ← m3 ← m4. */
async function chatOfFour(): Promise<Parley> {
  const parley = await openParley();
  await createChat(parley, 'c');
  const messages = [userMessage('m1'), assistantMessage('m2'), userMessage('m3'), assistantMessage('m4')];
  await save(parley, { chatId: 'c', messages });
  return parley;
}

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
    await save(parley, { chatId: 'c', messages: [userMessage('first')], expectedHeadId: 'm4' });
    const { saveMessages } = await parley.run(SaveMessages, {
      input: { chatId: 'c', messages: [userMessage('second')], expectedHeadId: 'm4', onConflict: 'REJECT' },
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

  test('fork at the expected head, with FORK', async () => {
    const parley = await chatOfFour();
    const payload = await save(parley, {
      chatId: 'c',
      messages: [userMessage('other')],
      expectedHeadId: 'm2',
      onConflict: 'FORK',
    });
    expect(payload).toMatchObject({ branched: true, branch: { name: 'main-v2', isActive: true } });
    expect(await branchesOf(parley, 'c')).toEqual({
      main: ['m1', 'm2', 'm3', 'm4'],
      'main-v2*': ['m1', 'm2', 'other'],
    });
  });

  test('follow newer messages with APPEND, unless the branch leads elsewhere now', async () => {
    const parley = await chatOfFour();
    const append = { chatId: 'c', onConflict: 'APPEND' as const };
    await save(parley, { ...append, messages: [userMessage('late')], expectedHeadId: 'm2' });
    expect(await branchesOf(parley, 'c')).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4', 'late'] });

    await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm2' } });
    const { saveMessages } = await parley.run(SaveMessages, {
      input: { ...append, messages: [userMessage('later')], expectedHeadId: 'm3' },
    });
    expect(saveMessages).toMatchObject({ __typename: 'HeadConflictError', newerMessages: [] });
  });

  test('of an empty branch conflict too', async () => {
    const parley = await openParley();
    await createChat(parley, 'c');
    await save(parley, { chatId: 'c', messages: [userMessage('a')], expectedHeadId: null });
    const { saveMessages } = await parley.run(SaveMessages, {
      input: { chatId: 'c', messages: [userMessage('b')], expectedHeadId: null, onConflict: 'REJECT' },
    });
    expect(saveMessages).toMatchObject({ __typename: 'HeadConflictError', newerMessages: [{ id: 'a' }] });
  });
});

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

  test('can be followed by new messages and preceded by existing ones', async () => {
    const parley = await chatOfFour();
    const { messages } = await save(parley, {
      chatId: 'c',
      messages: [userMessage('m1'), assistantMessage('m2'), userMessage('m3', 'edited'), assistantMessage('new')],
    });
    expect((await branchesOf(parley, 'c'))['main-v2*']).toEqual(['m1', 'm2', messages[2]?.id, 'new']);
  });

  test('are recognised when retried', async () => {
    const parley = await chatOfFour();
    const edit = { chatId: 'c', messages: [assistantMessage('m2', 'edited'), userMessage('behind')] };
    const first = await save(parley, edit);
    const again = await save(parley, edit);
    expect(again).toMatchObject({ branched: false, branch: first.branch, messages: first.messages, chat: first.chat });
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

describe('branch names', () => {
  test('use the highest number plus one; main-video is not numbered', async () => {
    const parley = await chatOfFour();
    const rewind = async (branchName?: string) => {
      await parley.run(SwitchBranch, { input: { chatId: 'c', name: 'main' } });
      const { rewind: result } = await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm2', branchName } });
      return result.__typename === 'BranchPayload' ? result.branch.name : result.message;
    };
    await rewind('main-v3');
    await rewind('main-video');
    expect(await rewind()).toBe('main-v4');
    expect(await rewind('main-v4')).toBe('Branch "main-v4" already exists in chat "c"');
    expect(await rewind()).toBe('main-v5');
  });

  test('follow the active branch', async () => {
    const parley = await chatOfFour();
    await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm2' } });
    const { rewind } = await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm1' } });
    expect(rewind).toMatchObject({ branch: { name: 'main-v2-v2', isActive: true, messageCount: 1 } });
  });
});

describe('what belongs to another chat', () => {
  test('cannot be activated: one branch stays active', async () => {
    const parley = await chatOfFour();
    await createChat(parley, 'other');
    await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm1', branchName: 'only here' } });
    const { switchBranch } = await parley.run(SwitchBranch, { input: { chatId: 'other', name: 'only here' } });
    expect(switchBranch).toMatchObject({
      __typename: 'NotFoundError',
      message: 'Branch "only here" not found in chat "other"',
    });
    expect(Object.keys(await branchesOf(parley, 'other'))).toEqual(['main*']);
  });

  test('is refused as head, as checkpoint, as sibling and as expected head', async () => {
    const parley = await chatOfFour();
    await createChat(parley, 'other');
    const { data } = await parley.ask(`mutation {
      rewind(input: { chatId: "other", messageId: "m1" }) { ...E }
      createCheckpoint(input: { chatId: "other", name: "n", messageId: "m1" }) { ...E }
      switchToSibling(input: { chatId: "other", messageId: "m1" }) { ...E }
      editMessage(input: { chatId: "other", messageId: "m1", content: { text: "x" } }) { ...E }
      saveMessages(input: {
        chatId: "other", expectedHeadId: "m1", onConflict: FORK, messages: [{ name: "user", content: { text: "x" } }]
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
  // A database in memory is not visible to other connections.
  if (!isInMemory) {
    test('leave no rows after deletion', async () => {
      const parley = await chatOfFour();
      await parley.ask(`mutation {
        createCheckpoint(input: { chatId: "c", name: "n" }) { __typename }
        rewind(input: { chatId: "c", messageId: "m2" }) { __typename }
        deleteChat(input: { id: "c" }) { __typename }
      }`);
      expect(Object.values(await allRowsAt(parley.databaseUrl)).flat()).toEqual([]);
    });
  }

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
    // main moves on from m4: now no branch ends at the leaf below m3's other version.
    await save(parley, { chatId: 'c', branch: 'main', messages: [userMessage('m3', 'aside'), userMessage('aside 2')] });
    await parley.run(SwitchBranch, { input: { chatId: 'c', name: 'main-v2' } });
    await parley.run(Rewind, { input: { chatId: 'c', messageId: 'm4', branchName: 'to be moved' } });
    expect(await switchTo('m2')).toMatchObject({ name: 'main-v3', head: { id: 'aside 2' } });
  });
});

describe('lazy ids', () => {
  const lazy = (text: string) => ({
    lazyId: 'LAST_ASSISTANT' as const,
    name: 'assistant',
    type: 'message',
    content: { text },
  });

  test('stand for the newest assistant message on the branch: saving it is an edit', async () => {
    const parley = await chatOfFour();
    await save(parley, { chatId: 'c', messages: [userMessage('m5')] });
    const { messages } = await save(parley, { chatId: 'c', messages: [lazy('better')] });
    expect(messages).toMatchObject([{ parentId: 'm3', text: 'better' }]);
    expect(messages[0]?.id).not.toBe('m4');
    expect((await branchesOf(parley, 'c'))['main-v2*']).toEqual(['m1', 'm2', 'm3', messages[0]?.id]);
  });

  test('stand for the newest assistant message among those being saved first', async () => {
    const parley = await chatOfFour();
    const { messages } = await save(parley, {
      chatId: 'c',
      messages: [userMessage('m5'), assistantMessage('m6'), lazy('better')],
    });
    expect(messages).toMatchObject([{ id: 'm5' }, { id: 'm6', parentId: 'm5' }, { parentId: 'm5', text: 'better' }]);
    expect(await branchesOf(parley, 'c')).toEqual({
      main: ['m1', 'm2', 'm3', 'm4', 'm5', 'm6'],
      'main-v2*': ['m1', 'm2', 'm3', 'm4', 'm5', messages[2]?.id],
    });
  });

  test('stand for a new id where there is no assistant message, and for the same one in a retry', async () => {
    const parley = await openParley();
    await createChat(parley, 'c');
    const first = await save(parley, { chatId: 'c', messages: [lazy('hello')] });
    expect(first).toMatchObject({ branched: false, messages: [{ parentId: null, text: 'hello' }] });
    expect(await save(parley, { chatId: 'c', messages: [lazy('hello')] })).toEqual(first);
  });

  test('look past the new messages of the save to the branch', async () => {
    const parley = await chatOfFour();
    const { messages } = await save(parley, { chatId: 'c', messages: [userMessage('m5'), lazy('better')] });
    expect(messages).toMatchObject([
      { id: 'm5', parentId: 'm4' },
      { parentId: 'm3', text: 'better' },
    ]);
  });
});

describe('the exact texts that clients rely on', () => {
  test.each([
    ['rewind(input: { chatId: "c", messageId: "x" })', 'Message "x" not found'],
    ['switchBranch(input: { chatId: "c", name: "x" })', 'Branch "x" not found in chat "c"'],
    ['restoreCheckpoint(input: { chatId: "c", name: "x" })', 'Checkpoint "x" not found in chat "c"'],
    ['deleteCheckpoint(input: { chatId: "c", name: "x" })', 'Checkpoint "x" not found in chat "c"'],
    ['updateChat(input: { id: "nowhere" })', 'Chat "nowhere" not found'],
    ['deleteChat(input: { id: "nowhere" })', 'Chat "nowhere" not found'],
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
      'saveMessages(input: { chatId: "c", parentId: "m1", messages: [{ id: "m1", name: "user", content: { text: "" } }] })',
      'Message m1 cannot be its own parent',
    ],
  ])('%s', async (mutation, message) => {
    const parley = await chatOfFour();
    await createChat(parley, 'empty');
    const { data } = await parley.ask(`mutation { result: ${mutation} { ... on Error { message } } }`);
    expect(data).toEqual({ result: { message } });
  });

  test('cut the text of a graph node to 50 characters and three dots', async () => {
    const parley = await chatOfFour();
    await save(parley, {
      chatId: 'c',
      messages: [userMessage('long', 'x'.repeat(51)), userMessage('fits', 'y'.repeat(50))],
    });
    const { data } = await parley.ask('{ chat(id: "c") { graph { nodes { id content } } } }');
    const { nodes } = (data as { chat: { graph: { nodes: { id: string; content: string }[] } } }).chat.graph;
    expect(nodes.slice(4)).toEqual([
      { id: 'long', content: `${'x'.repeat(50)}...` },
      { id: 'fits', content: 'y'.repeat(50) },
    ]);
  });
});

test('branches are listed oldest first, checkpoints newest first, chats by their newest update', async () => {
  const parley = await chatOfFour();
  await createChat(parley, 'd');
  await parley.ask(`mutation {
    a: createCheckpoint(input: { chatId: "c", name: "a" }) { __typename }
    b: createCheckpoint(input: { chatId: "c", name: "b" }) { __typename }
    moved: createCheckpoint(input: { chatId: "c", name: "a", messageId: "m1" }) { __typename }
    x: btw(input: { chatId: "c", branchName: "x" }) { __typename }
    y: rewind(input: { chatId: "c", messageId: "m1", branchName: "a first name" }) { __typename }
  }`);
  const Lists = graphql(`
    query Lists {
      chats {
        edges {
          node {
            id
          }
        }
      }
      chat(id: "c") {
        branches {
          edges {
            node {
              name
            }
          }
        }
        checkpoints {
          edges {
            node {
              name
            }
          }
        }
      }
    }
  `);
  const { chats, chat } = await parley.run(Lists);
  expect(chats.edges.map(({ node }) => node.id)).toEqual(['c', 'd']);
  expect(chat?.branches.edges.map(({ node }) => node.name)).toEqual(['main', 'x', 'a first name']);
  expect(chat?.checkpoints.edges.map(({ node }) => node.name)).toEqual(['a', 'b']);
});
