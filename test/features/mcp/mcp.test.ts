/** MCP over HTTP, with the client of the SDK. */
import { request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startWithChats, type Headers, type TokenServer } from '../../auth/access-tokens.js';
import { stopClock } from '../../limits/stopped-clock.js';
import { addMemberRow } from '../../support/chats/members.js';
import { bearer } from '../../support/server/tokens.js';

const READING = ['compare', 'list_chats', 'read_path', 'recall', 'search'];

async function connect({ origin }: Pick<TokenServer, 'origin'>, headers: Headers) {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
    /** The result of a tool as JSON, or the text of its error. */
    call: async (name: string, input: Record<string, unknown> = {}): Promise<unknown> => {
      const { content, isError } = await client.callTool({ name, arguments: input });
      const [{ text } = { text: '' }] = content as { text: string }[];
      return isError === true ? text : (JSON.parse(text) as unknown);
    },
  };
}

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
const MCP_HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/** The status of a message without the SDK's client. */
const post = async (server: TokenServer, headers: Headers, body: unknown = ping) =>
  server.route({ ...MCP_HEADERS, ...headers }, '/mcp', { method: 'POST', body: JSON.stringify(body) });

async function saveReply(server: TokenServer, chatId: string, text: string) {
  const messages = [{ id: `${chatId}-2`, name: 'assistant', content: { text } }];
  const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  await server.as(await bearer('alice'), save, { input: { chatId, messages } });
}

describe('with a token that reads', () => {
  it('lists chats, searches, reads paths, recalls and compares', async () => {
    const server = await startWithChats({ mcpWrite: true });
    await saveReply(server, 'one', 'an answer about trams');
    const edit = `mutation { editMessage(input: { chatId: "one", messageId: "one-1", content: { text: "a question" } }) { __typename } }`;
    await server.as(await bearer('alice'), edit);
    const { tools, call } = await connect(server, (await server.token(await bearer('alice'))).headers);
    expect(await tools()).toEqual(READING);

    expect(await call('list_chats', { first: 1 })).toMatchObject({
      edges: [{ node: { id: 'one', activeBranch: { name: 'main-v2' } } }],
      pageInfo: { hasNextPage: true },
    });
    expect(await call('search', { query: 'trams' })).toMatchObject({
      edges: [
        { node: { snippet: 'an answer about <mark>trams</mark>', message: { id: 'one-2', chat: { id: 'one' } } } },
      ],
    });
    expect(await call('recall', { query: 'trams' })).toMatchObject({
      passages: [{ id: 'one-2', text: 'an answer about trams', parent: { text: 'words in one' }, chat: { id: 'one' } }],
    });
    const texts = (path: unknown) =>
      (path as { at: { path: { edges: { node: { text: string } }[] } } }).at.path.edges.map(({ node }) => node.text);
    expect(texts(await call('read_path', { chatId: 'one' }))).toEqual(['a question']);
    expect(texts(await call('read_path', { chatId: 'one', branch: 'main', last: 1 }))).toEqual([
      'an answer about trams',
    ]);
    expect(texts(await call('read_path', { chatId: 'one', messageId: 'one-1' }))).toEqual(['words in one']);
    const places = { base: { branch: 'main' }, head: { branch: 'main-v2' } };
    expect(await call('compare', { chatId: 'one', ...places })).toMatchObject({
      status: 'DIVERGED',
      aheadBy: 1,
      behindBy: 2,
    });
  });

  it('finds chats of others with includeShared, if the user is a member', async () => {
    const server = await startWithChats();
    const { call } = await connect(server, (await server.token(await bearer('alice', true))).headers);
    await addMemberRow(server.databaseUrl, 'other', 'alice');
    for (const [tool, input] of [
      ['list_chats', {}],
      ['search', { query: 'words' }],
      ['search', { query: 'words', chatId: 'other' }],
      ['recall', { query: 'words' }],
    ] as const) {
      expect(JSON.stringify(await call(tool, input))).not.toContain('"other"');
      expect(JSON.stringify(await call(tool, { ...input, includeShared: true }))).toContain('"other"');
    }
  });

  it('finds and reads no chats of others', async () => {
    const server = await startWithChats();
    const { call } = await connect(server, (await server.token(await bearer('alice', true))).headers);
    expect(JSON.stringify(await call('list_chats'))).not.toContain('other');
    expect(JSON.stringify(await call('search', { query: 'words' }))).not.toContain('other');
    expect(await call('search', { query: 'words', chatId: 'other' })).toMatchObject({ edges: [] });
    expect(await call('read_path', { chatId: 'other' })).toBe('Chat "other" not found');
    const place = { branch: 'main' };
    expect(await call('compare', { chatId: 'other', base: place, head: place })).toBe('Chat "other" not found');
  });

  it('finds, reads and changes no chats of others on behalf of an admin', async () => {
    const server = await startWithChats({ mcpWrite: true });
    const { tools, call } = await connect(server, await bearer('alice', true));
    const [chatId, place] = ['other', { branch: 'main' }];
    const inputs: Record<string, Record<string, unknown>> = {
      compare: { base: place, head: place },
      create_branch: { branchName: 'aside' },
      list_chats: {},
      read_path: {},
      recall: { query: 'words' },
      save_messages: { messages: [{ name: 'user', text: 'more' }] },
      search: { query: 'words' },
    };
    expect(await tools()).toEqual(Object.keys(inputs));
    for (const [name, input] of Object.entries(inputs)) {
      // The list has no argument chatId.
      const answers = [await call(name, name === 'list_chats' ? input : { ...input, chatId })];
      if (['recall', 'search'].includes(name)) answers.push(await call(name, input));
      for (const answer of answers) {
        const text = JSON.stringify(answer).replaceAll('Chat \\"other\\" not found', '');
        expect([name, text]).toEqual([name, expect.not.stringContaining('other')]);
      }
    }
    expect(await call('read_path', { chatId })).toBe('Chat "other" not found');
    await addMemberRow(server.databaseUrl, chatId, 'alice', 'READER');
    expect(await call('read_path', { chatId })).toMatchObject({ id: chatId });
    expect(await call('save_messages', { chatId, ...inputs['save_messages'] })).toContain('requires the role');
    const { data } = await server.as(
      await bearer('bob'),
      `{ chat(id: "other") { branches { totalCount } activeBranch { messageCount } } }`,
    );
    expect(data).toEqual({ chat: { branches: { totalCount: 1 }, activeBranch: { messageCount: 1 } } });
  });

  it('reads only the chat of a token for one chat', async () => {
    const server = await startWithChats();
    const { call } = await connect(server, (await server.token(await bearer('alice'), { chatId: 'two' })).headers);
    expect(await call('list_chats')).toMatchObject({ edges: [{ node: { id: 'two' } }] });
    expect(await call('recall', { query: 'words' })).toMatchObject({ passages: [{ id: 'two-1' }] });
    expect(await call('read_path', { chatId: 'one' })).toBe('Chat "one" not found');
  });

  it('is told what is wrong with an input', async () => {
    const server = await startWithChats();
    const { call } = await connect(server, (await server.token(await bearer('alice'))).headers);
    expect(await call('read_path', { chatId: 'one', branch: 'none' })).toBe('Chat "one" has no such branch or message');
    expect(await call('read_path', { chatId: 'one', branch: 'a', messageId: 'b' })).toContain('branch cannot be given');
    expect(await call('read_path', { chatId: 'one', last: 101 })).toContain('last');
    expect(await call('search', { query: 'words', after: 'nonsense' })).toContain('after');
    const places = { base: {}, head: { branch: 'main' } };
    expect(await call('compare', { chatId: 'one', ...places })).toContain('base');
  });

  it('gets long texts in part', async () => {
    const server = await startWithChats();
    await saveReply(server, 'one', 'x'.repeat(10_000));
    const { call } = await connect(server, (await server.token(await bearer('alice'))).headers);
    expect(JSON.stringify(await call('read_path', { chatId: 'one', last: 1 }))).toContain('x … [2000 more characters]');
  });

  it('changes nothing', async () => {
    const server = await startWithChats({ mcpWrite: true });
    const { call } = await connect(server, (await server.token(await bearer('alice'))).headers);
    const messages = [{ name: 'user', text: 'more' }];
    expect(await call('save_messages', { chatId: 'one', messages })).toContain('save_messages');
    expect(await call('read_path', { chatId: 'one' })).toMatchObject({ at: { path: { edges: [{}] } } });
  });
});

describe('with a token that writes', () => {
  it('saves messages and creates branches where MCP_WRITE allows it', async () => {
    const server = await startWithChats({ mcpWrite: true });
    const { headers } = await server.token(await bearer('alice'), { scopes: ['WRITE'] });
    const { tools, call } = await connect(server, headers);
    expect(await tools()).toEqual([...READING, 'create_branch', 'save_messages'].sort());
    const branchName = 'from an agent';
    expect(await call('create_branch', { chatId: 'one', branchName })).toMatchObject({ branch: { name: branchName } });
    const messages = [
      { name: 'user', text: 'and then?' },
      { name: 'assistant', text: 'the end' },
    ];
    expect(await call('save_messages', { chatId: 'one', branch: branchName, messages })).toMatchObject({
      branch: { name: branchName },
      messages: [{ name: 'user' }, { name: 'assistant' }],
    });
    expect(
      await call('save_messages', { chatId: 'one', branch: branchName, expectedHeadId: 'one-1', messages }),
    ).toContain('The head of branch');
    expect(await call('save_messages', { chatId: 'other', messages })).toBe('Chat "other" not found');
  });

  it('has no tools that write otherwise', async () => {
    const server = await startWithChats();
    const { headers } = await server.token(await bearer('alice'), { scopes: ['WRITE'] });
    expect(await (await connect(server, headers)).tools()).toEqual(READING);
  });
});

describe('the route', () => {
  it('needs a token, POST, and one JSON-RPC message', async () => {
    const server = await startWithChats();
    const { id, headers } = await server.token(await bearer('alice'));
    expect((await post(server, headers)).status).toBe(200);
    expect((await post(server, {})).status).toBe(401);
    expect((await server.route(headers, '/mcp')).status).toBe(405);
    expect((await post(server, headers, [ping, ping])).status).toBe(400);
    expect((await post(server, headers, 'nonsense')).status).toBe(400);
    expect((await post(server, { ...headers, 'content-type': 'text/plain' })).status).toBe(415);
    await server.as(await bearer('alice'), `mutation { revokeAccessToken(input: { id: "${id}" }) { __typename } }`);
    expect((await post(server, headers)).status).toBe(401);
  });

  it('refuses pages of other origins', async () => {
    const server = await startWithChats({ allowedOrigins: ['https://chat.example'] });
    const { headers } = await server.token(await bearer('alice'));
    expect((await post(server, { ...headers, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(server, { ...headers, origin: 'https://chat.example' })).status).toBe(200);
    expect((await post(server, { ...headers, origin: server.origin })).status).toBe(200);
  });

  it('refuses a body of more than 1 MiB, and counts calls for the rate of the user', async () => {
    stopClock();
    const server = await startWithChats({ limits: { rateLimitPerUser: 4 } });
    const { headers } = await server.token(await bearer('bob'));
    expect((await post(server, headers, { ...ping, params: { x: 'x'.repeat(1_048_576) } })).status).toBe(413);
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await post(server, headers)).status);
    expect(statuses).toContain(429);
  });

  it('forgets the calls of clients that leave', async () => {
    const server = await startWithChats();
    const { headers } = await server.token(await bearer('alice'));
    const leaving = Array.from({ length: 16 }, () => {
      const call = request(`${server.origin}/mcp`, { method: 'POST', headers: { ...MCP_HEADERS, ...headers } });
      call.on('error', () => {});
      call.write('{"jsonrpc":');
      return call;
    });
    const status = async () => (await post(server, headers)).status;
    await expect.poll(status).toBe(429);
    for (const call of leaving) call.destroy();
    await expect.poll(status).toBe(200);
    expect(server.unexpectedErrors.size).toBe(0);
  });
});
