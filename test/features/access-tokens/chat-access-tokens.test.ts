/** Access tokens for one chat: the other chats of their user do not exist for them. */
import { describe, expect, it } from 'vitest';
import { addMemberRow } from '../../support/chats/members.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { bearer } from '../../support/server/tokens.js';
import { startWithChats } from '../../auth/access-tokens.js';

const RENAME = 'mutation { updateChat(input: { chatId: "one", title: "changed" }) { __typename } }';
const TITLE = '{ chat(id: "one") { title } }';

describe('a token for one chat', () => {
  it('finds the chat of another user only among shared ones', async () => {
    const server = await startWithChats();
    const bob = await bearer('bob');
    const { headers } = await server.token(bob, { chatId: 'other' });
    await addMemberRow(server.databaseUrl, 'one', 'bob');
    const database = await rawDatabase(server.databaseUrl);
    const found = async (filter: object) => {
      const lists = `query ($filter: ChatFilter, $search: SearchFilter) {
        chats(filter: $filter) { edges { node { id } } }
        search(query: "words", filter: $search) { edges { node { message { id } } } }
      }`;
      const { data } = await server.as(headers, lists, { filter, search: filter });
      return JSON.stringify(data).match(/(?<="id":")[\w-]+/g) ?? [];
    };
    const includeShared = true;
    expect(await found({ includeShared })).toEqual(['other', 'other-1']);
    await database.run(`UPDATE access_tokens SET "chatId" = 'one'`);
    expect(await found({})).toEqual([]);
    expect(await found({ includeShared })).toEqual(['one', 'one-1']);
  });

  it('sees that chat only', async () => {
    const { as, token, route } = await startWithChats();
    const { headers } = await token(await bearer('alice', true), { chatId: 'one', scopes: ['WRITE'] });
    const lists = `{
      chats { totalCount edges { node { id } } }
      search(query: "words") { edges { node { message { id } } } }
      two: search(query: "words", filter: { chatId: "two" }) { edges { node { message { id } } } }
      chat(id: "two") { id } message(id: "two-1") { id }
      monthlyUsage { edges { node { userId } } } viewer { storage { usedBytes } }
      node(nodeId: "${Buffer.from('Chat:two').toString('base64')}") { nodeId }
    }`;
    const alice = await bearer('alice');
    const data = { parts: [], metadata: { usage: { inputTokens: 1 } } };
    await as(alice, 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }', {
      input: { chatId: 'two', messages: [{ name: 'assistant', content: { data } }] },
    });
    expect(await as(alice, lists)).toMatchObject({
      data: {
        ...{ chats: { totalCount: 2 }, two: { edges: [{}] }, message: { id: 'two-1' } },
        ...{ monthlyUsage: { edges: [{ node: { userId: 'alice' } }] }, viewer: { storage: {} } },
      },
    });
    expect(await as(headers, lists)).toEqual({
      data: {
        chats: { totalCount: 1, edges: [{ node: { id: 'one' } }] },
        search: { edges: [{ node: { message: { id: 'one-1' } } }] },
        two: { edges: [] },
        chat: null,
        message: null,
        monthlyUsage: { edges: [] },
        viewer: { storage: null },
        node: null,
      },
    });
    expect((await route(headers, '/export?chatId=two')).status).toBe(404);
    const exported = await (await route(headers, '/export')).text();
    expect([exported.includes('words in one'), exported.includes('words in two')]).toEqual([true, false]);
    expect(
      (await as(headers, 'mutation { updateChat(input: { chatId: "two", title: "x" }) { __typename } }')).data,
    ).toEqual({
      updateChat: { __typename: 'NotFoundError' },
    });
    expect((await as(headers, RENAME)).data).toEqual({ updateChat: { __typename: 'UpdateChatPayload' } });
  });

  it('creates and imports no chats', async () => {
    const { as, token, route } = await startWithChats();
    const { headers } = await token(await bearer('alice'), { chatId: 'one', scopes: ['WRITE'] });
    const input = (id: string) => ({ input: { id } });
    const create = 'mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }';
    const upsert = 'mutation ($input: CreateChatInput!) { upsertChat(input: $input) { __typename } }';
    expect(await as(headers, create, input('new'))).toEqual({
      data: { createChat: { __typename: 'InvalidInputError' } },
    });
    expect(await as(headers, upsert, input('two'))).toEqual({
      data: { upsertChat: { __typename: 'InvalidInputError' } },
    });
    expect(await as(headers, upsert, input('one'))).toEqual({
      data: { upsertChat: { __typename: 'UpsertChatPayload' } },
    });
    const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    const message = { name: 'user', content: { text: 'hello' } };
    for (const chatId of ['new', 'two', 'one']) {
      const saved = as(headers, save, { input: { chatId, createChat: {}, messages: [message] } });
      const __typename = chatId === 'one' ? 'SaveMessagesPayload' : 'InvalidInputError';
      expect(await saved).toEqual({ data: { saveMessages: { __typename } } });
    }
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[]' };
    expect((await route(headers, '/import', init)).status).toBe(403);
  });

  it('reads files of that chat only', async () => {
    const { as, token, route } = await startWithChats();
    const alice = await bearer('alice');
    const init = { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: 'a text' };
    const { id } = (await (await route(alice, '/files?name=a.txt', init)).json()) as { id: string };
    const data = { role: 'user', parts: [{ type: 'file', mediaType: 'text/plain', url: `parley:file:${id}` }] };
    const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
    const messages = [{ id: 'two-2', name: 'user', content: { data } }];
    expect(await as(alice, save, { input: { chatId: 'two', messages } })).toMatchObject({
      data: { saveMessages: { __typename: 'SaveMessagesPayload' } },
    });
    const { headers } = await token(alice, { chatId: 'one' });
    expect((await route(headers, `/files/${id}`)).status).toBe(404);
    expect((await route(headers, `/files/${id}?message=two-2`)).status).toBe(404);

    const both = await token(alice, { chatId: 'two' });
    expect(await (await route(both.headers, `/files/${id}`)).text()).toBe('a text');
    const links = await route({ ...both.headers, 'content-type': 'application/json' }, '/files/links', {
      method: 'POST',
      body: JSON.stringify({ files: [{ fileId: id, messageId: 'two-2' }] }),
    });
    const { url } = ((await links.json()) as { links: [{ url: string }] }).links[0];
    expect(await (await route({}, url)).text()).toBe('a text');
    await as(alice, `mutation { revokeAccessToken(input: { id: "${both.id}" }) { __typename } }`);
    expect((await route({}, url)).status).toBe(401);
  });

  it('follows that chat only', async () => {
    const { as, token, webSocketUrl } = await startWithChats();
    const alice = await bearer('alice');
    const { headers } = await token(alice, { chatId: 'one' });
    const socket = await connectWebSocket(webSocketUrl, { payload: headers });
    socket.subscribe('list', 'subscription { chatChanges { chatId } }');
    socket.subscribe('foreign', 'subscription { chatEvents(chatId: "two") { seq } }');
    expect(await socket.take('foreign')).toMatchObject({
      payload: { errors: [{ extensions: { code: 'NOT_FOUND' } }] },
    });
    // The subscription to the list has begun when a later operation is answered.
    await socket.ask('after', TITLE);
    for (const id of ['two', 'one'])
      await as(alice, `mutation { updateChat(input: { chatId: "${id}", title: "x" }) { __typename } }`);
    expect(await socket.take('list')).toMatchObject({ payload: { data: { chatChanges: { chatId: 'one' } } } });
  });

  it('has access to no chat while the chat is deleted, until it is restored', async () => {
    const { as, token } = await startWithChats();
    const alice = await bearer('alice');
    const { headers } = await token(alice, { chatId: 'one' });
    await as(alice, 'mutation { deleteChat(input: { chatId: "one" }) { __typename } }');
    expect(await as(headers, TITLE)).toEqual({ data: { chat: null } });
    expect(await as(headers, '{ deletedChats { totalCount } }')).toEqual({ data: { deletedChats: { totalCount: 0 } } });
    await as(alice, 'mutation { restoreChat(input: { chatId: "one" }) { __typename } }');
    expect(await as(headers, TITLE)).toMatchObject({ data: { chat: {} } });
  });

  it('is removed with the chat', async () => {
    const { as, token, databaseUrl } = await startWithChats();
    const alice = await bearer('alice');
    const { headers } = await token(alice, { chatId: 'one' });
    await as(alice, 'mutation { deleteChat(input: { chatId: "one", permanently: true }) { __typename } }');
    expect(await as(headers, TITLE)).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(await (await rawDatabase(databaseUrl)).rows('SELECT "id" FROM access_tokens')).toEqual([]);
  });
});
