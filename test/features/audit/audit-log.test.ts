/** The lines of each way to the contents of chats. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { command as eraseUser } from '../../../src/features/deletion/erase-command.js';
import { command as exportCommand } from '../../../src/features/exports/command.js';
import { command as transfer } from '../../../src/features/members/command.js';
import { runHere } from '../../cli/run-here.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { startListening } from '../../support/server/listening-server.js';
import { transports } from '../../support/server/transports.js';
import { openWebSocket } from '../../support/server/raw-websocket.js';
import { AUTH, bearer } from '../../support/server/tokens.js';
import { auditFile, type AuditLine } from './audited-server.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CHAT = `mutation {
  createChat(input: { id: "c", title: "secret title" }) { __typename }
  saveMessages(input: { chatId: "c", messages: [{ id: "m", name: "user", content: { text: "secret text" } }] }) { __typename }
}`;

async function startAudited() {
  const { auditLog, lines, text } = auditFile();
  const server = await startListening({ auth: AUTH, auditLog });
  const of = async (userId: string, isAdmin = false) => {
    const headers = { 'content-type': 'application/json', ...(await bearer(userId, isAdmin)) };
    const at = (path: string, init: RequestInit = {}) =>
      fetch(new URL(path, server.url), { ...init, headers: { ...headers, ...init.headers } });
    const ask = async (query: string, requestId: string) => {
      const init = { method: 'POST', body: JSON.stringify({ query }), headers: { 'x-request-id': requestId } };
      return (await at('/graphql', init)).json() as Promise<unknown>;
    };
    return { headers, at, ask };
  };
  /** The lines of a request, without what equals in all. */
  const stopped = async () => {
    await server.stop();
    const written = lines();
    const shown = (requestId: string) =>
      written
        .filter((line) => line.requestId === requestId)
        .map(({ event, result, chatIds, target }) => [event, result, chatIds.join(' '), target]);
    return { written, shown, text: text() };
  };
  return { server, of, stopped };
}

it('a line has the user, the request and the chats, and no content', async () => {
  const { of, stopped } = await startAudited();
  const alice = await of('alice');
  await alice.ask(CHAT, 'save');
  await alice.at('/graphql', {
    method: 'POST',
    body: JSON.stringify({
      query: '{ chat(id: "c") { title activeBranch { messages { edges { node { data } } } } } }',
    }),
    headers: { 'x-request-id': 'read', traceparent: `00-${TRACE}-b7ad6b7169203331-01` },
  });
  const message = '{ id: "n", name: "user", content: { text: "secret text" } }';
  const save = `mutation { saveMessages(input: { chatId: "n", createChat: {}, messages: [${message}] }) { __typename } }`;
  for (const requestId of ['create', 'retry']) await alice.ask(save, requestId);
  const { written, text, shown } = await stopped();
  expect(shown('create')).toEqual([['chat.created', 'ok', 'n', 'alice']]);
  expect(shown('retry')).toEqual([['chat.changed', 'ok', 'n', null]]);
  expect(shown('save')).toEqual([
    ['chat.created', 'ok', 'c', 'alice'],
    ['chat.changed', 'ok', 'c', null],
  ]);
  expect(written.filter(({ requestId }) => requestId === 'read')).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      event: 'chat.read',
      result: 'ok',
      userId: 'alice',
      isAdmin: false,
      accessTokenId: null,
      chatIds: ['c'],
      target: null,
      route: '/graphql',
      requestId: 'read',
      traceId: TRACE,
      address: '127.0.0.1',
    },
  ]);
  expect(text).not.toContain('secret');
});

it('another user is refused, and an unknown chat is not found', async () => {
  const { of, stopped } = await startAudited();
  await (await of('alice')).ask(CHAT, 'save');
  const mallory = await of('mallory');
  await mallory.ask('{ chat(id: "c") { id } }', 'foreign');
  await mallory.ask('{ message(id: "m") { id } }', 'foreign-message');
  await mallory.ask('{ chat(id: "secret") { id } }', 'unknown');
  await mallory.ask('mutation { deleteChat(input: { chatId: "c" }) { __typename } }', 'delete');
  await mallory.ask('mutation { deleteChat(input: { chatId: "secret" }) { __typename } }', 'delete-unknown');
  await mallory.at('/export?chatId=c', { headers: { 'x-request-id': 'export' } });
  await mallory.at('/users?userId=alice', { method: 'DELETE', headers: { 'x-request-id': 'erase' } });
  await mallory.ask('{ shared(token: "parley_share_secret") { title } }', 'share');
  const { shown, text } = await stopped();
  expect(shown('foreign')).toEqual([['chat.read', 'refused', 'c', null]]);
  expect(shown('foreign-message')).toEqual([['chat.read', 'refused', 'c', null]]);
  expect(shown('unknown')).toEqual([['chat.read', 'not_found', '', null]]);
  expect(shown('delete')).toEqual([['chat.deleted', 'refused', 'c', null]]);
  expect(shown('delete-unknown')).toEqual([['chat.deleted', 'not_found', '', null]]);
  expect(shown('export')).toEqual([['chat.exported', 'not_found', '', null]]);
  expect(shown('erase')).toEqual([['user.erased', 'refused', '', null]]);
  expect(shown('share')).toEqual([['share.read', 'not_found', '', null]]);
  expect(text).not.toContain('secret');
});

it('subscriptions have a line when they start, over each transport', async () => {
  const { auditLog, lines } = auditFile();
  const server = await startListening({ auditLog });
  await server.ask(CHAT);
  for (const follow of Object.values(transports)) {
    const results = follow({ url: server.url, query: 'subscription { chatEvents(chatId: "c", after: 0) { seq } }' });
    // The first answer of a client is its own; later ones are shared.
    await results.next();
    await results.next();
    await results.return?.();
    await follow({ url: server.url, query: 'subscription { chatEvents(chatId: "none") { seq } }' })
      .next()
      .catch(() => {});
  }
  await server.stop();
  const followed = lines().filter(({ event }) => event === 'chat.followed');
  const outcome = ({ result, chatIds, field }: AuditLine) => [result, ...chatIds, field].join(' ');
  const each = ['ok c chatEvents', 'not_found chatEvents'];
  expect(followed.map(outcome)).toEqual(Object.keys(transports).flatMap(() => each));
});

it('queries over WebSocket and MCP, exports, downloads, transfers and erasures are recorded', async () => {
  const { server, of, stopped } = await startAudited();
  const [alice, admin] = [await of('alice'), await of('root', true)];
  await alice.ask(CHAT, 'save');
  const socket = await openWebSocket(server.webSocketUrl, { headers: { ...alice.headers, 'x-request-id': 'socket' } });
  socket.send({ type: 'connection_init' });
  await socket.take();
  await socket.ask('first', '{ chat(id: "c") { id } }');
  const call = { name: 'list_chats', arguments: {} };
  await alice.at('/mcp', {
    method: 'POST',
    headers: { 'x-request-id': 'mcp', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  });
  await (await alice.at('/export', { headers: { 'x-request-id': 'export' } })).text();
  const upload = await alice.at('/files?name=a.txt', {
    method: 'POST',
    body: 'secret file',
    headers: { 'content-type': 'application/octet-stream' },
  });
  const file = (await upload.json()) as { id: string; reference: string };
  const content = `{ data: { url: "${file.reference}" } }`;
  await alice.ask(
    `mutation { saveMessages(input: { chatId: "c", messages: [{ id: "f", name: "user", content: ${content} }] }) { __typename } }`,
    'attach',
  );
  await (await alice.at(`/files/${file.id}`, { headers: { 'x-request-id': 'download' } })).text();
  const files = [file.id, 'f'.repeat(64)].map((fileId) => ({ fileId, messageId: 'f' }));
  const links = { method: 'POST', body: JSON.stringify({ files }), headers: { 'x-request-id': 'links' } };
  await (await alice.at('/files/links', links)).text();
  await alice.ask('{ message(id: "f") { files { signedUrl { url } } } }', 'signed');
  await admin.ask('mutation { transferChat(input: { chatId: "c", userId: "bob" }) { __typename } }', 'transfer');
  await (await admin.at('/users?userId=bob', { method: 'DELETE', headers: { 'x-request-id': 'erase' } })).text();
  const { shown, written, text } = await stopped();
  expect(shown('socket.1')).toEqual([['chat.read', 'ok', 'c', null]]);
  expect(shown('mcp')).toEqual([['chat.read', 'ok', 'c', null]]);
  expect(shown('export')).toEqual([['chat.exported', 'ok', 'c', null]]);
  expect(shown('download')).toEqual([['file.downloaded', 'ok', 'c', file.id]]);
  expect(shown('links')).toEqual([
    ['file.linked', 'ok', 'c', file.id],
    ['file.linked', 'not_found', '', null],
  ]);
  expect(shown('signed').sort()).toEqual([
    ['chat.read', 'ok', 'c', null],
    ['file.linked', 'ok', 'c', null],
  ]);
  expect(shown('transfer')).toEqual([['chat.transferred', 'ok', 'c', 'bob']]);
  expect(shown('erase')).toEqual([['user.erased', 'ok', '', 'bob']]);
  const routes = Object.fromEntries(written.map(({ requestId, route }) => [requestId, route]));
  expect(routes).toMatchObject({ 'socket.1': '/graphql', mcp: '/mcp', export: '/export', download: '/files' });
  expect(text).not.toContain('secret');
});

it('an import names the chats that it has written', async () => {
  const { of, stopped } = await startAudited();
  const [alice, bob] = [await of('alice'), await of('bob')];
  await alice.ask(CHAT, 'save');
  const body = await (await alice.at('/export')).text();
  const headers = { 'content-type': 'application/x-ndjson' };
  const upload = async (requestId: string) => {
    const init = { method: 'POST', body, headers: { ...headers, 'x-request-id': requestId } };
    return (await bob.at('/import', init)).text();
  };
  const [, chatId] = /"chatId":"([^"]+)"/.exec(await upload('import')) ?? [];
  await upload('again');
  const { shown } = await stopped();
  expect(shown('import')).toEqual([['chats.imported', 'ok', chatId, 'bob']]);
  expect(shown('again')).toEqual([['chats.imported', 'ok', '', 'bob']]);
});

it('an access token is named, and a list of chats is one line for each 100 of them', async () => {
  const { of, stopped } = await startAudited();
  const alice = await of('alice');
  const names = Array.from({ length: 25 }, (_, n) => `n${n}: createChat(input: {}) { __typename }`).join(' ');
  for (let n = 0; n < 5; n++) await alice.ask(`mutation { ${names} }`, 'create');
  const { data } = (await alice.ask(
    'mutation { createAccessToken(input: { name: "secret" }) { ... on AccessTokenPayload { accessToken { id token } } } }',
    'token',
  )) as { data: { createAccessToken: { accessToken: { id: string; token: string } } } };
  const { accessToken } = data.createAccessToken;
  const { token } = accessToken;
  await alice.at('/graphql', {
    method: 'POST',
    body: JSON.stringify({ query: '{ chats(first: 125) { edges { node { id title } } } }' }),
    headers: { authorization: `Bearer ${token}`, 'x-request-id': 'list' },
  });
  const { written, shown, text } = await stopped();
  expect(shown('token')).toEqual([['access_token.created', 'ok', '', accessToken.id]]);
  const list = written.filter(({ requestId }) => requestId === 'list');
  expect(list.map(({ chatIds, accessTokenId }) => [chatIds.length, accessTokenId])).toEqual([
    [100, accessToken.id],
    [25, accessToken.id],
  ]);
  expect(text).not.toMatch(new RegExp(`secret|${token}`));
});

it('commands record the chats that they export and transfer, and the user whom they erase', async () => {
  const { auditLog, lines } = auditFile();
  const databaseUrl = `file:${temporaryFile()}`;
  const server = await startListening({ databaseUrl });
  await server.ask(CHAT);
  await server.stop();
  const environment = { DATABASE_URL: databaseUrl, AUDIT_LOG: auditLog };
  const output = new PassThrough().resume();
  expect((await runHere('export', exportCommand, [], { environment, output })).code).toBe(0);
  expect((await runHere('transfer', transfer, ['--from', 'local', '--to', 'bob'], { environment })).code).toBe(0);
  expect((await runHere('erase-user', eraseUser, ['--user', 'bob'], { environment })).code).toBe(0);
  expect(lines().map(({ event, chatIds, target, route }) => [event, chatIds.join(), target, route])).toEqual([
    ['chat.exported', 'c', null, 'parley export'],
    ['chat.transferred', 'c', 'bob', 'parley transfer'],
    ['user.erased', '', 'bob', 'parley erase-user'],
  ]);
});
