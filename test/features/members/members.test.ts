/** Members of chats over GraphQL. */
import { describe, expect, it } from 'vitest';
import { schema } from '../../../src/server/schema.js';
import { ask, belongingsOf, isDone } from '../../support/chats/belongings.js';
import { openStream } from '../../support/server/event-stream.js';
import { openParley, type Parley } from '../../support/server/parley.js';

type Values = Record<string, never>;

/** A server with a chat of alice, and calls as a user. */
async function start() {
  const parley = await openParley();
  const own = await belongingsOf(parley, 'alice');
  const { chatId } = own;
  const query = async (userId: string, text: string, variables: object = {}) =>
    (await ask(parley, userId, text, { chatId, ...variables })).data as Values | null;
  /** The result of a mutation with the input `chatId`. */
  const call = async (userId: string, mutation: string, input: object, selection = '') => {
    const [argument] = schema.getMutationType()!.getFields()[mutation]!.args;
    const text = `mutation ($input: ${String(argument!.type)}) { ${mutation}(input: $input) {
      __typename ... on Error { code message } ... on ForbiddenError { requiredRole } ${selection} } }`;
    const answer = await ask(parley, userId, text, { input: { chatId, ...input } });
    expect([mutation, answer.isRefused, answer.text]).toEqual([mutation, false, expect.any(String)]);
    return answer.data![mutation] as Values & { __typename: string; requiredRole?: string };
  };
  const add = async (userId: string, role: string) =>
    expect(await call('alice', 'addMember', { userId, role })).toMatchObject({ __typename: 'AddMemberPayload' });
  return { parley, own, chatId, query, call, add };
}

const FORBIDDEN = (requiredRole: string) => ({ __typename: 'ForbiddenError', code: 'FORBIDDEN', requiredRole });

describe('members', () => {
  it('are added, changed, listed and removed', async () => {
    const { query, call, add } = await start();
    const member = 'member { userId role addedBy }';
    expect(
      await call('alice', 'addMember', { userId: 'bob', role: 'READER' }, `... on AddMemberPayload { ${member} }`),
    ).toMatchObject({ member: { userId: 'bob', role: 'READER', addedBy: 'alice' } });
    await add('bob', 'WRITER');
    // Nothing changes.
    await add('bob', 'WRITER');
    const list = `query ($chatId: ID!, $after: String) { chat(id: $chatId) {
      viewerRole members(first: 2, after: $after) { totalCount pageInfo { endCursor hasNextPage } edges { node { userId role } } }
    } }`;
    const { chat } = (await query('bob', list)) as never as { chat: { members: { pageInfo: { endCursor: string } } } };
    expect(chat).toMatchObject({
      viewerRole: 'WRITER',
      members: {
        totalCount: 3,
        edges: [{ node: { userId: 'alice', role: 'OWNER' } }, { node: { userId: 'alice friend', role: 'READER' } }],
        pageInfo: { hasNextPage: true },
      },
    });
    expect(await query('alice', list, { after: chat.members.pageInfo.endCursor })).toMatchObject({
      chat: { viewerRole: 'OWNER', members: { edges: [{ node: { userId: 'bob', role: 'WRITER' } }] } },
    });
    expect(await query('local', list)).toMatchObject({ chat: { viewerRole: 'OWNER' } });

    // A cursor stays valid when a member before it leaves.
    const { endCursor } = chat.members.pageInfo;
    expect(await call('alice', 'removeMember', { userId: 'alice friend' })).toMatchObject({
      __typename: 'RemoveMemberPayload',
    });
    expect(await query('alice', list, { after: endCursor })).toMatchObject({
      chat: { members: { totalCount: 2, edges: [{ node: { userId: 'bob' } }] } },
    });

    const left = '... on RemoveMemberPayload { deletedId chat { id } }';
    expect(await call('bob', 'removeMember', { userId: 'bob' }, left)).toMatchObject({
      deletedId: 'bob',
      chat: null,
    });
    expect(await query('bob', list)).toEqual({ chat: null });
    expect(
      await query(
        'alice',
        `query ($chatId: ID!) { chat(id: $chatId) { events(filter: { types: [MEMBER_CHANGED] }) {
          edges { node { actorId ... on MemberChanged { userId role } } } } } }`,
      ),
    ).toEqual({
      chat: {
        events: {
          edges: [
            { node: { actorId: 'alice', userId: 'alice friend', role: 'READER' } },
            { node: { actorId: 'alice', userId: 'bob', role: 'READER' } },
            { node: { actorId: 'alice', userId: 'bob', role: 'WRITER' } },
            { node: { actorId: 'alice', userId: 'alice friend', role: null } },
            { node: { actorId: 'bob', userId: 'bob', role: null } },
          ],
        },
      },
    });
  });

  it('that are impossible are refused', async () => {
    const { call, add } = await start();
    await add('bob', 'WRITER');
    const invalid = (path: string) => ({ __typename: 'InvalidInputError', path });
    const path = '... on InvalidInputError { path }';
    expect(await call('alice', 'addMember', { userId: 'alice', role: 'READER' }, path)).toMatchObject(
      invalid('userId'),
    );
    expect(await call('alice', 'addMember', { userId: 'bob', role: 'OWNER' }, path)).toMatchObject(invalid('role'));
    expect(await call('alice', 'removeMember', { userId: 'alice' }, path)).toMatchObject(invalid('userId'));
    expect(await call('alice', 'removeMember', { userId: 'carol' })).toMatchObject({
      __typename: 'NotFoundError',
      message: 'Member "carol" not found',
    });
    for (const role of ['WRITER', 'OWNER']) {
      expect(await call('bob', 'addMember', { userId: 'bob', role })).toMatchObject(FORBIDDEN('OWNER'));
    }
    expect(await call('bob', 'removeMember', { userId: 'alice friend' })).toMatchObject(FORBIDDEN('OWNER'));
    expect(await call('mallory', 'removeMember', { userId: 'mallory' })).toMatchObject({ __typename: 'NotFoundError' });
  });

  it('are at most 100 with the owner', async () => {
    const { call, add } = await start();
    for (let n = 2; n < 100; n++) await add(`user ${n}`, 'READER');
    const last = { userId: 'one more', role: 'READER' };
    expect(await call('alice', 'addMember', last)).toMatchObject({ __typename: 'InvalidInputError' });
    await add('user 2', 'WRITER');
  });

  it('become the owner by a transfer, and the former owner has no role', async () => {
    const { parley, chatId, call, add, query } = await start();
    await add('bob', 'READER');
    const transfer = (userId: string) =>
      ask(
        parley,
        'alice',
        `mutation ($id: ID!, $userId: ID!) { transferChat(input: { chatId: $id, userId: $userId }) {
          __typename ... on TransferChatPayload { chat { id } } } }`,
        { id: chatId, userId },
      );
    expect((await transfer('carol')).data).toMatchObject({ transferChat: { __typename: 'InvalidInputError' } });
    const nodes = [{ node: { userId: 'bob', role: 'OWNER' } }, { node: { userId: 'alice friend', role: 'READER' } }];
    const transferred = { __typename: 'TransferChatPayload', chat: null };
    expect((await transfer('bob')).data).toEqual({ transferChat: transferred });
    const list = 'query ($chatId: ID!) { chat(id: $chatId) { members { edges { node { userId role } } } } }';
    expect(await query('bob', list)).toEqual({ chat: { members: { edges: nodes } } });
    expect(await query('alice', list)).toEqual({ chat: null });
    expect(await call('alice', 'btw', {})).toMatchObject({ __typename: 'NotFoundError' });
  });
});

describe('a READER', () => {
  it('reads everything of the chat, and nothing else of its owner', async () => {
    const { parley, own, add, query } = await start();
    const other = await belongingsOf(parley, 'alice');
    await add('bob', 'READER');
    const text = `query ($chatId: ID!, $messageId: ID!) {
      chat(id: $chatId) { title activeBranch { name } drafts { edges { node { id } } } search(query: "insists") { edges { node { message { id } } } } }
      message(id: $messageId) { text }
      search(query: "insists", filter: { chatId: $chatId }) { edges { node { message { id } } } }
      all: search(query: "insists") { edges { node { message { id } } } }
      chats { edges { node { id } } }
    }`;
    const hits = { edges: [{ node: { message: { id: own.otherMessageId } } }] };
    expect(await query('bob', text, { messageId: own.messageId })).toEqual({
      chat: {
        title: 'alice title',
        activeBranch: { name: 'main-v2' },
        drafts: { edges: [{ node: { id: own.draftId } }] },
        search: hits,
      },
      message: { text: 'alice asks' },
      search: hits,
      all: { edges: [] },
      chats: { edges: [{ node: { id: own.chatId } }] },
    });
    expect(await query('bob', text, { chatId: other.chatId, messageId: other.messageId })).toMatchObject({
      chat: null,
      message: null,
      search: { edges: [] },
    });
  });
});

describe('a COMMENTER', () => {
  const branch = '... on BranchPayload { branch { name isActive createdBy } }';
  const saved = '... on SaveMessagesPayload { branch { name isActive createdBy } }';
  const messages = [{ name: 'user', content: { text: 'a comment' } }];

  it('writes to branches that it created, and never activates one', async () => {
    const { own, call, add, query } = await start();
    await add('bob', 'COMMENTER');
    expect(await call('bob', 'btw', { branchName: 'aside' }, branch)).toMatchObject({
      branch: { name: 'aside', isActive: false, createdBy: 'bob' },
    });
    const aside = { branch: 'aside', messages };
    expect(await call('bob', 'saveMessages', aside)).toMatchObject({ __typename: 'SaveMessagesPayload' });
    expect(await call('bob', 'saveMessages', { messages })).toMatchObject(FORBIDDEN('WRITER'));
    const fork = { branch: 'main', messages, expectedHead: { id: own.messageId }, onConflict: 'FORK' };
    const inactive = { branch: { isActive: false, createdBy: 'bob' } };
    expect(await call('bob', 'saveMessages', fork, saved)).toMatchObject(inactive);
    const edit = { messageId: own.otherMessageId, content: { text: 'another version' } };
    expect(await call('bob', 'editMessage', edit, saved)).toMatchObject(inactive);

    expect(await call('bob', 'switchBranch', { name: 'aside' })).toMatchObject(FORBIDDEN('WRITER'));
    expect(await call('bob', 'renameBranch', { name: 'main', newName: 'x' })).toMatchObject(FORBIDDEN('WRITER'));
    expect(await call('bob', 'renameBranch', { name: 'aside', newName: 'note' })).toMatchObject({
      __typename: 'BranchPayload',
    });
    expect(await call('bob', 'deleteBranch', { name: 'note' })).toMatchObject({ __typename: 'DeleteBranchPayload' });
    expect(await query('bob', 'query ($chatId: ID!) { chat(id: $chatId) { activeBranch { name } } }')).toEqual({
      chat: { activeBranch: { name: 'main-v2' } },
    });
  });

  it('writes drafts on its branches only', async () => {
    const { own, call, add } = await start();
    await add('bob', 'COMMENTER');
    await call('bob', 'btw', { branchName: 'aside' });
    expect(await call('bob', 'startDraft', {})).toMatchObject(FORBIDDEN('WRITER'));
    expect(await call('bob', 'stopDraft', { id: own.draftId })).toMatchObject(FORBIDDEN('WRITER'));
    const places = [{ branch: 'aside' }, { at: { message: own.messageId } }, { expectedHead: { id: own.messageId } }];
    for (const [n, place] of places.entries()) {
      const id = `comment ${n}`;
      expect(await call('bob', 'startDraft', { id, ...place })).toMatchObject({ __typename: 'DraftPayload' });
      for (const offset of [0, 1]) await call('bob', 'appendToDraft', { id, offset, chunks: ['a comment'] });
      expect(await call('bob', 'finishDraft', { id }, saved)).toMatchObject({
        branch: { isActive: false, createdBy: 'bob' },
      });
    }
    await call('bob', 'startDraft', { id: 'late', branch: 'aside' });
    await add('bob', 'READER');
    const late = { id: 'late', offset: 0, chunks: ['too late'] };
    expect(await call('bob', 'appendToDraft', late)).toMatchObject(FORBIDDEN('COMMENTER'));
  });
});

describe('a removed member', () => {
  it('has its subscriptions ended', async () => {
    const { parley, own, add, call } = await start();
    await add('bob', 'WRITER');
    const asBob: Pick<Parley, 'post'> = {
      post: (body, headers) => parley.post(body, { ...headers, 'x-user-id': 'bob' }),
    };
    const follow = (text: string) =>
      openStream(asBob, `subscription ($chatId: ID!) { ${text} }`, { chatId: own.chatId });
    const streams = [
      await follow('branchHead(chatId: $chatId) { seq }'),
      await follow('chatEvents(chatId: $chatId, after: 2) { seq }'),
      await follow('drafts(chatId: $chatId) { draftId }'),
      await follow(`draft(chatId: $chatId, id: "${own.draftId}") { ... on DraftChunks { chunks } }`),
    ];
    for (const stream of streams) await stream.take(1);
    await call('alice', 'removeMember', { userId: 'bob' });
    await call('alice', 'saveMessages', { messages: [{ name: 'user', content: { text: 'secret' } }] });
    await call('alice', 'appendToDraft', { id: own.draftId, offset: 1, chunks: ['secret'] });
    await call('alice', 'startDraft', { id: 'secret' });
    for (const stream of streams) {
      const rest = stream.rest();
      await expect(rest).rejects.toThrow();
      await rest.catch((error: unknown) => expect(String(error)).not.toContain('secret'));
    }
    expect(isDone(await ask(parley, 'bob', 'query ($id: ID!) { chat(id: $id) { id } }', { id: own.chatId }))).toBe(
      false,
    );
  });
});
