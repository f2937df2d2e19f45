/** Saving as siblings and after existing messages; renaming and deleting branches; transferring chats. */
import { describe, expect, test } from 'vitest';
import { save, userMessage } from '../support/chats/operations.js';
import { BRANCH, chatOfThree, mutate, SAVED, saveAt, type Fields } from './changed-chats.js';
import { openParley, type Parley } from '../support/server/parley.js';

/** The same server for one user. */
const as = (parley: Parley, userId: string): Pick<Parley, 'ask'> => ({
  ask: (query, variables) => parley.ask(query, variables, { 'x-user-id': userId }),
});

const edit = (parley: Parley, input: Fields) => mutate(parley, 'editMessage', { chatId: 'c', ...input }, SAVED);
const rename = (parley: Parley, name: string, newName: string) =>
  mutate(parley, 'renameBranch', { chatId: 'c', name, newName }, BRANCH);
const remove = (parley: Parley, name: string) =>
  mutate(
    parley,
    'deleteBranch',
    { chatId: 'c', name },
    '... on DeleteBranchPayload { chat { messageCount } deletedId deletedNodeId }',
  );

async function versionOf(parley: Parley): Promise<unknown> {
  const { data } = await parley.ask('{ chat(id: "c") { version } }');
  return (data as { chat: { version: number } }).chat.version;
}

describe('at', () => {
  test('saves another answer to a question on a new active branch with an optional name', async () => {
    const parley = await chatOfThree();
    expect(await saveAt(parley, { at: { message: 'b' }, branchName: 'again', messages: [userMessage('d')] })).toEqual({
      __typename: 'SaveMessagesPayload',
      branched: true,
      branch: { name: 'again', isActive: true },
      messages: [{ id: 'd', parentId: 'b', siblingIndex: 1 }],
    });
  });

  test('writes nothing when the name is taken', async () => {
    const parley = await chatOfThree();
    expect(
      await saveAt(parley, { at: { message: 'b' }, branchName: 'main', messages: [userMessage('d')] }),
    ).toMatchObject({
      __typename: 'AlreadyExistsError',
      message: 'Branch "main" already exists in chat "c"',
    });
    expect(await versionOf(parley)).toBe(4);
  });
});

describe('editMessage', () => {
  const input = { messageId: 'b', id: 'b2', branchName: 'better', content: { text: 'y' } };

  test('takes the id of the new version and the name of its branch, and writes nothing on a retry', async () => {
    const parley = await chatOfThree();
    const first = await edit(parley, input);
    expect(first).toMatchObject({
      branched: true,
      branch: { name: 'better', isActive: true },
      messages: [{ id: 'b2', parentId: 'a', siblingIndex: 1 }],
    });
    const version = await versionOf(parley);
    expect(await edit(parley, input)).toEqual({ ...first, branched: false });
    expect(await versionOf(parley)).toBe(version);
  });

  test.each([
    ['other content', { content: { text: 'z' } }],
    ['another message', { messageId: 'c' }],
  ])('refuses an id that is taken by %s', async (_, changed) => {
    const parley = await chatOfThree();
    await edit(parley, input);
    expect(await edit(parley, { ...input, ...changed })).toMatchObject({
      __typename: 'AlreadyExistsError',
      message: 'Message "b2" already exists',
    });
  });
});

test('mutations that activate a branch return the previously active one', async () => {
  const parley = await chatOfThree();
  const change = (field: string, input: Fields) =>
    mutate(
      parley,
      field,
      { chatId: 'c', ...input },
      `... on ${/^(save|edit)/.test(field) ? 'SaveMessagesPayload' : 'BranchPayload'} {
        branch { name isActive } previousActiveBranch { name isActive messageCount }
      }`,
    );
  const now = (name: string, previous: { name: string; messageCount: number } | null, isActive = true) => ({
    branch: { name, isActive },
    previousActiveBranch: previous && { ...previous, isActive: false },
  });
  const main = { name: 'main', messageCount: 3 };
  const save = (input: Fields) => change('saveMessages', { messages: [userMessage('d')], ...input });
  expect(await change('btw', {})).toMatchObject(now('main-v2', null, false));
  expect(await change('rewind', { at: { message: 'a' } })).toMatchObject(now('main-v3', main));
  expect(await change('switchBranch', { name: 'main-v3' })).toMatchObject(now('main-v3', null));
  expect(await change('switchBranch', { name: 'main' })).toMatchObject(
    now('main', { name: 'main-v3', messageCount: 1 }),
  );
  expect(await save({ at: { message: 'b' } })).toMatchObject(now('main-v4', main));
  expect(await save({})).toMatchObject(now('main-v4', null));
  expect(await change('switchToSibling', { messageId: 'c' })).toMatchObject(
    now('main', { name: 'main-v4', messageCount: 3 }),
  );
  expect(await change('editMessage', { messageId: 'c', content: { text: 'c2' } })).toMatchObject(now('main-v5', main));
  // Its first message is appended to the branch that the second one leaves.
  const both = [userMessage('e'), { ...userMessage('a'), content: { text: 'a2' } }];
  expect(await save({ messages: both })).toMatchObject(now('main-v5-v2', { name: 'main-v5', messageCount: 4 }));
});

test('switchToSibling names the branch that it creates', async () => {
  const parley = await chatOfThree();
  await edit(parley, { messageId: 'b', id: 'b2', content: { text: 'y' } });
  await remove(parley, 'main');
  const input = { chatId: 'c', messageId: 'b', branchName: 'first try' };
  expect(await mutate(parley, 'switchToSibling', input, BRANCH)).toMatchObject({ branch: { name: 'first try' } });
  expect(await mutate(parley, 'switchToSibling', { ...input, messageId: 'b2', branchName: 'x' }, BRANCH)).toMatchObject(
    {
      branch: { name: 'main-v2' },
    },
  );
});

describe('createdAtMessage', () => {
  const ORIGINS = '{ chat(id: "c") { branches { edges { node { name head { id } createdAtMessage { id text } } } } } }';
  const origins = async (parley: Parley) => {
    const { data, errors } = await parley.ask(ORIGINS);
    expect(errors).toBeUndefined();
    const { edges } = (data as { chat: { branches: { edges: { node: Fields }[] } } }).chat.branches;
    return edges.map(({ node }) => [node['name'], (node['createdAtMessage'] as Fields | null)?.['id'] ?? null]);
  };

  test('is the message at which a branch began, also after its head moved and its name changed', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'rewind', { chatId: 'c', at: { message: 'b' }, branchName: 'again' }, BRANCH);
    await mutate(parley, 'btw', { chatId: 'c', branchName: 'aside' }, BRANCH);
    await edit(parley, { messageId: 'b', id: 'b2', content: { text: 'y' } });
    await save(parley, { chatId: 'c', branch: 'again', messages: [userMessage('d')] });
    await rename(parley, 'again', 'renamed');
    const found = await origins(parley);
    expect(found.slice(0, 2)).toEqual([
      ['main', null],
      ['renamed', 'b'],
    ]);
    expect(found[2]).toEqual(['aside', 'b']);
    expect(found).toHaveLength(4);
  });
});

test('each mutation of an operation returns the state right after it', async () => {
  const parley = await chatOfThree();
  await saveAt(parley, { at: { message: 'a' }, branchName: 'other', messages: [userMessage('d')] });
  const activeAfter = (name: string) => `${name}: switchBranch(input: { chatId: "c", name: "${name}" }) {
    ... on BranchPayload { chat { activeBranch { name } } } }`;
  const { data } = await parley.ask(`mutation { ${activeAfter('main')} ${activeAfter('other')} }`);
  const active = (name: string) => ({ chat: { activeBranch: { name } } });
  expect(data).toEqual({ main: active('main'), other: active('other') });
});

describe('renameBranch', () => {
  test('keeps the branch, and its place in lists', async () => {
    const parley = await chatOfThree();
    await mutate(parley, 'btw', { chatId: 'c', branchName: 'aside' }, BRANCH);
    expect(await rename(parley, 'main', 'trunk')).toMatchObject({
      branch: { name: 'trunk', isActive: true },
      branchEdge: { node: { name: 'trunk' } },
    });
    const { data } = await parley.ask(
      `{ chat(id: "c") { branches { edges { node { name messageCount } } } events(last: 1) { edges { node { __typename
        ... on BranchRenamed { previousName name branch { name } } } } } } }`,
    );
    expect(data).toEqual({
      chat: {
        branches: { edges: ['trunk', 'aside'].map((name) => ({ node: { name, messageCount: 3 } })) },
        events: {
          edges: [
            { node: { __typename: 'BranchRenamed', previousName: 'main', name: 'trunk', branch: { name: 'trunk' } } },
          ],
        },
      },
    });
  });
});

describe('deleteBranch', () => {
  test('removes the name and no message', async () => {
    const parley = await chatOfThree();
    await saveAt(parley, { at: { message: 'a' }, branchName: 'side', messages: [userMessage('x')] });
    const { branch } = (await rename(parley, 'main', 'old')) as { branch: { id: string; nodeId: string } };
    expect(await remove(parley, 'old')).toEqual({
      __typename: 'DeleteBranchPayload',
      chat: { messageCount: 4 },
      deletedId: branch.id,
      deletedNodeId: branch.nodeId,
    });
    const { data } = await parley.ask(
      `query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId } message(id: "c") { chain { id } headOf { name } }
        chat(id: "c") { branches { totalCount } events { edges { node { __typename ... on BranchCreated { branch { name } }
          ... on BranchDeleted { name headId } } } } } }`,
      { nodeId: branch.nodeId },
    );
    expect(data).toMatchObject({
      node: null,
      message: { chain: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], headOf: [] },
      chat: { branches: { totalCount: 1 } },
    });
    const { edges } = (data as { chat: { events: { edges: { node: Fields }[] } } }).chat.events;
    expect(edges[1]?.node).toEqual({ __typename: 'BranchCreated', branch: null });
    expect(edges.at(-1)?.node).toEqual({ __typename: 'BranchDeleted', name: 'old', headId: 'c' });
  });

  test('refuses the active branch and a missing one', async () => {
    const parley = await chatOfThree();
    expect(await remove(parley, 'main')).toMatchObject({
      __typename: 'InvalidInputError',
      path: 'name',
      message: 'name: branch "main" is active and cannot be deleted: activate another branch first',
    });
    expect(await remove(parley, 'nope')).toMatchObject({ message: 'Branch "nope" not found in chat "c"' });
  });
});

describe('transferChat', () => {
  const FIND = `{ search(query: "walnut") { edges { node { message { id } } } } chats { totalCount } chat(id: "c") { userId } }`;
  const transfer = (parley: Pick<Parley, 'ask'>, userId: string) =>
    mutate(parley, 'transferChat', { chatId: 'c', userId }, '... on UpdateChatPayload { chat { userId version } }');

  test('transfers the chat with everything in it to another user', async () => {
    const parley = await openParley();
    const alice = as(parley, 'alice');
    const bob = as(parley, 'bob');
    await mutate(alice, 'createChat', { id: 'c' }, '');
    const messages = Array.from({ length: 30 }, (_, n) =>
      userMessage(`m${n}`, n === 29 ? 'a walnut' : 'x '.repeat(20_000)),
    );
    await saveAt(alice, { messages });
    expect(await transfer(parley, 'bob')).toMatchObject({ chat: { userId: 'bob', version: 5 } });
    expect((await alice.ask(FIND)).data).toEqual({ search: { edges: [] }, chats: { totalCount: 0 }, chat: null });
    expect((await bob.ask(FIND)).data).toEqual({
      search: { edges: [{ node: { message: { id: 'm29' } } }] },
      chats: { totalCount: 1 },
      chat: { userId: 'bob' },
    });
    await saveAt(bob, { messages: [userMessage('m30', 'another walnut')] });
    const { data } = await bob.ask(FIND);
    expect((data as { search: { edges: unknown[] } }).search.edges).toHaveLength(2);
  });

  test('is for admins, and for owners to a member', async () => {
    const parley = await openParley();
    const alice = as(parley, 'alice');
    await mutate(alice, 'createChat', { id: 'c' }, '');
    expect(await transfer(alice, 'bob')).toMatchObject({
      __typename: 'InvalidInputError',
      message: 'userId: only an admin may transfer a chat to another user than a member: add the user first',
    });
    expect(await transfer(as(parley, 'bob'), 'bob')).toMatchObject({ message: 'Chat "c" not found' });
  });
});
