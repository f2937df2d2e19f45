/** The revocation of access tokens ends what runs with them, on every server of the database. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { openStream } from '../../support/server/event-stream.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { bearer } from '../../support/server/tokens.js';
import { startWithChats, type Headers, type TokenServer } from '../../auth/access-tokens.js';

const FOLLOW = 'subscription { chatEvents(chatId: "one", after: 0) { seq } }';

async function startFollowing(server: TokenServer, headers: Headers) {
  const post = (body: string, more?: Headers) =>
    server.route({ ...headers, ...more, 'content-type': 'application/json' }, '/graphql', { method: 'POST', body });
  const socket = await connectWebSocket(server.webSocketUrl, { payload: headers });
  socket.subscribe('1', FOLLOW);
  await socket.take('1');
  const stream = await openStream({ post }, FOLLOW);
  await stream.next();
  return { socket, stream };
}

const revoke = async (server: TokenServer, id: string) =>
  server.as(await bearer('alice'), `mutation { revokeAccessToken(input: { id: "${id}" }) { __typename } }`);

it('ends its subscriptions over WebSocket and Server-Sent Events, and no others', async () => {
  const server = await startWithChats();
  const alice = await bearer('alice');
  const revoked = await server.token(alice);
  const other = await startFollowing(server, (await server.token(alice)).headers);
  const { socket, stream } = await startFollowing(server, revoked.headers);
  await revoke(server, revoked.id);
  expect(await socket.closed).toEqual({ code: 4403, reason: 'The token was revoked' });
  await expect(stream.rest()).rejects.toThrow();
  await server.as(alice, 'mutation { updateChat(input: { chatId: "one", title: "x" }) { __typename } }');
  const answers = async () => JSON.stringify(await other.stream.next());
  while (!(await answers()).includes('"seq":5')) await Promise.resolve();
  expect(other.socket.socket.readyState).toBe(other.socket.socket.OPEN);
});

it('ends its exports', async () => {
  const server = await startWithChats();
  const alice = await bearer('alice');
  const { id, headers } = await server.token(alice);
  const data = 'x'.repeat(900_000);
  const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  for (let n = 0; n < 40; n++) {
    const messages = [{ name: 'user', content: { text: `${n} ${data}` } }];
    await server.as(alice, save, { input: { chatId: 'two', messages } });
  }
  const response = await server.route(headers, '/export?chatId=two');
  const reader = response.body!.getReader();
  await reader.read();
  await revoke(server, id);
  let text = '';
  const rest = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text = (text + Buffer.from(part.value).toString()).slice(-1_000);
    }
  };
  await expect(rest()).rejects.toThrow();
  expect(text).toContain('{"incomplete":"the token was revoked"}');
});

it('ends them on another server, and refuses the next operation on an open socket', async () => {
  const databaseUrl = temporaryDatabaseUrl();
  const [one, other] = [
    await startWithChats({ databaseUrl }),
    await startWithChats({ databaseUrl, sweepIntervalMs: 100 }),
  ];
  const { id, headers } = await one.token(await bearer('alice'));
  const { socket } = await startFollowing(other, headers);
  await revoke(one, id);
  expect(await socket.closed).toEqual({ code: 4403, reason: 'The token was revoked' });

  const late = await one.token(await bearer('alice'));
  const slow = await startWithChats({ databaseUrl, sweepIntervalMs: 3_600_000 });
  const open = await connectWebSocket(slow.webSocketUrl, { payload: late.headers });
  await revoke(one, late.id);
  open.subscribe('1', '{ viewer { userId } }');
  expect((await open.closed).code).toBe(4403);
});

it('is the end of the session at its expiry, too', async () => {
  const server = await startWithChats();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const { headers } = await server.token(await bearer('alice'), { expiresAt });
  const { socket, stream } = await startFollowing(server, headers);
  vi.advanceTimersByTime(66_000);
  expect(await socket.closed).toEqual({ code: 4403, reason: 'The token has expired' });
  await expect(stream.rest()).rejects.toThrow();
});
