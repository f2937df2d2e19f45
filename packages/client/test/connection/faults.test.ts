/** After any fault, a store converges to the server's state and reports the fault. */
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { AUTH } from '../../../../test/support/server/tokens.js';
import { signToken } from '../../../../src/features/signed-tokens/sign-token.js';
import { startListening } from '../../../../test/support/server/listening-server.js';
import type { ParleyOptions, ThreadStore } from '../../src/client.js';
import { CreateChat, DeleteChat, SaveMessages } from '../../src/generated/operations.js';
import { openTab, sendTexts, shown, startChat, until } from '../open-parley.js';

/** All statuses of a store. */
function statusesOf(store: ThreadStore): string[] {
  const statuses = [store.getState().status as string];
  store.subscribe(() => {
    const { status } = store.getState();
    if (status !== statuses.at(-1)) statuses.push(status);
  });
  return statuses;
}

test('a broken socket reconnects, and messages sent meanwhile are shown', async () => {
  const server = await startChat('one');
  const tab = openTab(server);
  const store = tab.thread('c');
  const statuses = statusesOf(store);
  await store.open();
  await sendTexts(server.tab, 'before');
  await until(store, 'one before');
  tab.cut();
  await store.when(({ status }) => status === 'away');
  await sendTexts(server.tab, 'two', 'three');
  await until(store, 'one before two three');
  expect(statuses).toEqual(['opening', 'live', 'away', 'catching-up', 'live']);
  // It resumed from its last event, and read nothing again.
  expect(tab.requests.filter((name) => name !== 'socket')).toEqual(['OpenThread', 'ReadVersion']);
});

test('a store without listeners stops, and catches up for the next one', async () => {
  const server = await startChat('one');
  const store = openTab(server).thread('c');
  const leave = store.subscribe(() => {});
  await store.when(({ status }) => status === 'live');
  leave();
  await expect.poll(server.followers).toBe(0);
  await sendTexts(server.tab, 'two');
  const statuses = statusesOf(store);
  await until(store, 'one two');
  expect(statuses).toEqual(['live', 'catching-up', 'live']);
});

test('errors describe the failure to users, and contain the cause for developers', async () => {
  const server = await startChat('one');
  const messages: string[] = [];
  const errorOf = async (options: Partial<ParleyOptions>) => {
    const store = openTab(server, { timeoutMs: 200, ...options }).thread('c');
    const { error } = await store.when((state) => state.error !== null);
    messages.push(error?.message ?? '');
    return error;
  };
  const answer = (status: number, text: string) => () => Promise.resolve(new Response(text, { status }));
  expect((await errorOf({ fetch: answer(502, '<html>Bad Gateway</html>') }))?.cause).toBe('Status 502');
  const refused = {
    errors: [{ message: 'Cannot query field "x"', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
  };
  expect((await errorOf({ fetch: answer(200, JSON.stringify(refused)) }))?.cause).toBe('Cannot query field "x"');
  // A proxy refuses the token.
  expect((await errorOf({ fetch: answer(401, '<html>Unauthorized</html>') }))?.code).toBe('UNAUTHENTICATED');
  const broken = new TypeError('getaddrinfo ENOTFOUND');
  expect((await errorOf({ fetch: () => Promise.reject(broken) }))?.cause).toBe(broken);
  class Junk extends WebSocket {
    override emit(event: string, ...args: unknown[]): boolean {
      return super.emit(event, ...(event === 'message' ? [Buffer.from('<html>'), false] : args));
    }
  }
  expect((await errorOf({ webSocket: Junk }))?.code).toBe('UNREACHABLE');
  class Closed extends WebSocket {
    override emit(event: string, ...args: unknown[]): boolean {
      return super.emit(event, ...(event === 'close' ? [1011, Buffer.from('internal reason')] : args));
    }
  }
  const tab = openTab(server, { webSocket: Closed });
  const store = tab.thread('c');
  await store.open();
  await store.when(({ status }) => status === 'live');
  await server.stop();
  const { error } = await store.when(({ status }) => status === 'away');
  expect(error?.cause).toBe('Closed: 1011 internal reason');
  const away = 'The server cannot be reached';
  expect([...messages, error?.message]).toEqual([
    away,
    'The server refuses this request: reload the page',
    'The token was refused',
    away,
    away,
    away,
  ]);
});

test('a store reconnects to a restarted server, and sends messages of the meantime', async () => {
  const server = await startChat('one');
  const tab = openTab(server);
  const store = tab.thread('c');
  await store.open();
  await server.stop();
  await store.when(({ status }) => status === 'away');
  const sent = store.send('two');
  await store.when(({ thread }) => thread.at(-1)?.status === 'waiting');
  await startListening({ databaseUrl: server.databaseUrl, port: Number(new URL(server.url).port) });
  expect(await sent).toMatchObject({ ok: true });
  await until(store, 'one two');
});

test('each message of several shows its own status', async () => {
  const server = await startChat('one');
  let isUp = false;
  const tab = openTab(server, {
    fetch: (url, init) =>
      !isUp && /SaveMessages/.test(init?.body as string) ? Promise.reject(new TypeError('offline')) : fetch(url, init),
  });
  const store = tab.thread('c');
  await store.open();
  const sent = [store.send('two'), store.send('three')];
  const statuses = () => store.getState().thread.map(({ status }) => status);
  await store.when(() => statuses()[1] === 'waiting');
  expect(statuses()).toEqual([undefined, 'waiting', 'sending']);
  const seen = new Set<string>();
  store.subscribe(() => void seen.add(statuses().join()));
  isUp = true;
  await Promise.all(sent);
  expect(seen).toContain(',,sending');
});

test('a request whose response was lost is repeated, and nothing is saved twice', async () => {
  const server = await startChat('one');
  let lost = 0;
  const tab = openTab(server, {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!/SaveMessages|EditMessage/.test(init?.body as string) || lost++ % 2 === 1) return response;
      await response.text();
      throw new TypeError('the connection broke');
    },
  });
  const store = tab.thread('c');
  await store.open();
  expect(await store.send('two')).toMatchObject({ ok: true });
  expect(await store.edit('one', 'another', { id: 'another' })).toMatchObject({ ok: true });
  await until(store, 'another');
  await store.loadAll();
  expect(store.getState().allMessages.map(({ text }) => text)).toEqual(['one', 'two', 'another']);
  expect(lost).toBe(4);
});

test('a store that missed too many events reads the chat again, and keeps its messages', async () => {
  const server = await startChat('one');
  const tab = openTab(server);
  const [near, far] = [tab.thread('c'), tab.thread('c', { farBehind: 4, pageSize: 10 })];
  const [one] = (await far.open()).thread;
  await near.open();
  await Promise.all([near, far].map((store) => store.when(({ status }) => status === 'live')));
  // A new socket waits for its acknowledgement until all events are saved.
  tab.hold();
  tab.cut();
  await Promise.all([near, far].map((store) => store.when(({ status }) => status === 'away')));
  tab.requests.length = 0;
  for (const text of ['2', '3', '4', '5', '6', '7']) await sendTexts(server.tab, text);
  tab.release();
  await until(near, 'one 2 3 4 5 6 7');
  await until(far, 'one 2 3 4 5 6 7');
  expect(tab.requests.filter((name) => name === 'OpenThread')).toHaveLength(1);
  expect(far.getState().thread[0]).toBe(one);
  expect(far.getState().threadEpoch).toBe(0);
});

test('a refused token is renewed, over HTTP and on the socket', async () => {
  const server = await startListening({ auth: AUTH });
  const sign = (lifetime: number) => signToken(AUTH, { userId: 'u', isAdmin: false, lifetime });
  const asked: boolean[] = [];
  const token = (isRefused: boolean) => {
    asked.push(isRefused);
    return sign(isRefused ? 3600 : -3600);
  };
  await openTab(server, { token }).parley.run(CreateChat, { input: { id: 'c' } });
  expect(asked).toEqual([false, true]);

  // The token is valid over HTTP, so that the socket uses the old one.
  const good = { authorization: `Bearer ${await sign(3600)}` };
  const tab = openTab(server, {
    token,
    fetch: (url, init) => fetch(url, { ...init, headers: { 'content-type': 'application/json', ...good } }),
  });
  const store = tab.thread('c');
  const statuses = statusesOf(store);
  await store.open();
  await store.when(({ status }) => status === 'live');
  expect(asked).toEqual([false, true, false, true]);
  expect(statuses).toEqual(['opening', 'refused', 'live']);
  expect(await store.send('still here')).toMatchObject({ ok: true });

  const refused = openTab(server, { token: await sign(-3600) }).thread('c');
  expect(await refused.open()).toMatchObject({ status: 'refused', error: { code: 'UNAUTHENTICATED' } });
});

test('a chat that is deleted, transferred or missing has the status gone', async () => {
  const server = await startChat('one');
  const store = openTab(server).thread('c');
  await store.open();
  await store.when(({ status }) => status === 'live');
  await server.tab.parley.run(DeleteChat, { input: { chatId: 'c' } });
  expect(await store.when(({ status }) => status === 'gone')).toMatchObject({ error: { code: 'DELETED' } });
  expect(shown(store)).toBe('one');
  expect(await store.send('two')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  expect(shown(store)).toBe('one');
  expect(await openTab(server).thread('never').open()).toMatchObject({ status: 'gone', error: { code: 'NOT_FOUND' } });
});

test('close leaves no resources', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const server = await startChat('one');
  const tab = openTab(server);
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const store = tab.thread('c');
  await store.open();
  await store.when(({ status }) => status === 'live');
  await server.stop();
  await store.when(({ status }) => status === 'away');
  const sent = store.send('two');
  store.close();
  tab.parley.close();
  expect(await sent).toMatchObject({ ok: false, error: { code: 'CLOSED' } });
  expect(store.getState().status).toBe('closed');
  await new Promise((resolve) => setImmediate(resolve));
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThanOrEqual(before);
  expect(unhandled).toEqual([]);
  await expect(tab.parley.run(SaveMessages, { input: { chatId: 'c', messages: [] } })).rejects.toMatchObject({
    code: 'CLOSED',
  });
});
