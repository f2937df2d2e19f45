/** The scope that each mutation requires of an access token. A new mutation needs an entry here. */
import { getNamedType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/server/schema.js';
import { calls, type Belongings } from '../support/chats/belongings.js';
import { connectWebSocket } from '../support/server/raw-websocket.js';
import { bearer } from '../support/server/tokens.js';
import { CREATE, startWithChats, type Headers, type TokenServer } from './access-tokens.js';

const MANAGING = [
  ...['addMember', 'createShare', 'deleteChat', 'liftLegalHold', 'removeMember', 'replayWebhookDeliveries'],
  ...['restoreChat', 'revokeShare', 'setLegalHold', 'setRetention', 'setStorageQuota', 'transferChat'],
];

const WRITING = [
  ...['appendToDraft', 'btw', 'createAccessToken', 'createChat', 'createCheckpoint', 'deleteBranch'],
  ...['deleteCheckpoint', 'discardDraft', 'editMessage', 'finishDraft', 'forkChat', 'renameBranch'],
  ...['restoreCheckpoint', 'revokeAccessToken', 'rewind', 'saveMessages', 'startDraft', 'stopDraft'],
  ...['switchBranch', 'switchToSibling', 'updateChat', 'upsertChat'],
];

const mutations = Object.values(schema.getMutationType()!.getFields());

/** Objects that do not exist: refusals must not depend on them. */
const NONE: Belongings = {
  userId: 'alice',
  chatId: 'none',
  ...{ messageId: 'none', otherMessageId: 'none', branchId: 'none', checkpointId: 'none', draftId: 'none' },
  ...{ accessTokenId: 'none', shareId: 'none', deletedChatId: 'none', shareToken: 'none' },
};

const SHARE = 'mutation { createShare(input: { chatId: "one" }) { __typename ... on SharePayload { share { id } } } }';
const DELETE = 'mutation { deleteChat(input: { chatId: "one" }) { __typename } }';

const codeOf = ({ errors }: { errors?: readonly { extensions?: Record<string, unknown> }[] }) =>
  errors?.[0]?.extensions?.['code'];

/** The code of the refusal of each mutation. */
async function refusals(server: TokenServer, headers: Headers): Promise<Record<string, unknown>> {
  const codes: Record<string, unknown> = {};
  for (const { name, args } of mutations) {
    const { variables } = calls[`Mutation.${name}`]!(NONE);
    const type = getNamedType(args[0]!.type).name;
    const document = `mutation ($input: ${type}!) { ${name}(input: $input) { __typename } }`;
    codes[name] = codeOf(await server.as(headers, document, variables));
  }
  return codes;
}

const allOf = (names: readonly string[], code: unknown) => Object.fromEntries(names.map((name) => [name, code]));

describe('a token', () => {
  it.each([
    [['READ'], allOf([...MANAGING, ...WRITING], 'READ_ONLY_TOKEN')],
    [['WRITE'], { ...allOf(MANAGING, 'INSUFFICIENT_SCOPE'), ...allOf(WRITING, undefined) }],
    [['MANAGE'], allOf([...MANAGING, ...WRITING], undefined)],
  ])('with %s runs the mutations of its scope only', async (scopes, expected) => {
    const server = await startWithChats();
    const { headers } = await server.token(await bearer('alice'), { scopes });
    expect(await refusals(server, headers)).toEqual(expected);
  });

  it('with WRITE for one chat neither shares it nor changes its members, its owner or its deletion', async () => {
    const server = await startWithChats();
    const { headers } = await server.token(await bearer('alice'), { scopes: ['WRITE'], chatId: 'one' });
    expect(await refusals(server, headers)).toMatchObject(allOf(MANAGING, 'INSUFFICIENT_SCOPE'));
    await server.as(await bearer('alice'), DELETE);
    for (const mutation of [
      'restoreChat(input: { chatId: "one" })',
      'deleteChat(input: { chatId: "one", permanently: true })',
    ]) {
      expect(codeOf(await server.as(headers, `mutation { ${mutation} { __typename } }`))).toBe('INSUFFICIENT_SCOPE');
    }
  });

  it('is refused before an effect, wherever the document has the field', async () => {
    const server = await startWithChats();
    const { headers } = await server.token(await bearer('alice'), { scopes: ['WRITE'] });
    const documents = [
      'mutation { updateChat(input: { chatId: "one", title: "x" }) { __typename } last: deleteChat(input: { chatId: "one" }) { __typename } }',
      'mutation { ...A } fragment A on Mutation { ... on Mutation { deleteChat(input: { chatId: "one" }) { __typename } } }',
      'mutation { updateChat: deleteChat(input: { chatId: "one" }) { __typename } }',
      'mutation { ... @include(if: true) { deleteChat(input: { chatId: "one" }) { __typename } } }',
    ];
    for (const document of documents) {
      expect([document, codeOf(await server.as(headers, document))]).toEqual([document, 'INSUFFICIENT_SCOPE']);
    }
    const socket = await connectWebSocket(server.webSocketUrl, { payload: headers });
    expect(await socket.ask('1', DELETE)).toMatchObject({ errors: [{ extensions: { code: 'INSUFFICIENT_SCOPE' } }] });
    expect(await server.as(headers, '{ chat(id: "one") { title } }')).toEqual({ data: { chat: { title: null } } });
  });

  it('with MANAGE shares, transfers, deletes, restores and changes members, and erases no users', async () => {
    const server = await startWithChats();
    const { headers } = await server.token(await bearer('alice'), { scopes: ['MANAGE'] });
    const run = async (mutation: string) => {
      const { data } = await server.as(headers, `mutation { result: ${mutation} { __typename } }`);
      return (data!['result'] as { __typename: string }).__typename;
    };
    const { data } = await server.as(headers, SHARE);
    const { id } = (data!['createShare'] as { share: { id: string } }).share;
    expect([
      await run(`revokeShare(input: { id: "${id}" })`),
      await run('addMember(input: { chatId: "one", userId: "carol", role: READER })'),
      await run('removeMember(input: { chatId: "one", userId: "carol" })'),
      await run('addMember(input: { chatId: "one", userId: "bob", role: READER })'),
      await run('deleteChat(input: { chatId: "one" })'),
      await run('restoreChat(input: { chatId: "one" })'),
      await run('transferChat(input: { chatId: "one", userId: "bob" })'),
    ]).toEqual([
      ...['RevokeSharePayload', 'AddMemberPayload', 'RemoveMemberPayload', 'AddMemberPayload'],
      ...['DeleteChatPayload', 'RestoreChatPayload', 'TransferChatPayload'],
    ]);
    expect((await server.route(headers, '/users?userId=bob', { method: 'DELETE' })).status).toBe(403);
    expect(await server.as(headers, '{ viewer { accessTokens { edges { node { scopes } } } } }')).toEqual({
      data: { viewer: { accessTokens: { edges: [{ node: { scopes: ['READ', 'WRITE', 'MANAGE'] } }] } } },
    });
  });

  it('with MANAGE is not created for one chat', async () => {
    const server = await startWithChats();
    const input = { name: 'script', chatId: 'one', scopes: ['READ', 'MANAGE'] };
    expect(await server.as(await bearer('alice'), CREATE, { input })).toMatchObject({
      data: { createAccessToken: { __typename: 'InvalidInputError', path: 'scopes' } },
    });
  });
});
