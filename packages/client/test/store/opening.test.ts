/** Chats that are missing when they are opened, and chats of other users. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { signToken } from '../../../../src/features/signed-tokens/sign-token.js';
import { VIEWER, writeBranches } from '../../../../test/support/chats/large-chats.js';
import { temporaryDatabase } from '../../../../test/support/database/temporary-database.js';
import { AUTH } from '../../../../test/support/server/tokens.js';
import { ChatList } from '../../src/chats/editable-chat-list.js';
import { operation, ThreadStore, type Parley } from '../../src/client.js';
import { AddMember, CreateChat, RemoveMember, SaveMessages } from '../../src/generated/operations.js';
import { startListening } from '../../../../test/support/server/listening-server.js';
import { openTab, shown, startChat, until } from '../open-parley.js';

const firstMessage = (chatId: string) => ({
  input: { chatId, messages: [{ name: 'user', content: { text: 'first' } }] },
});

test('a store opens a missing chat once another client creates it', async () => {
  const server = await startListening();
  const [tab, other] = [openTab(server), openTab(server)];
  const store = tab.thread('c');
  expect(await store.open()).toMatchObject({ status: 'gone', error: { code: 'NOT_FOUND' } });
  await other.parley.run(CreateChat, { input: { id: 'another' } });
  await other.parley.run(CreateChat, { input: { id: 'c' } });
  await store.when(({ status }) => status === 'live');
  await other.parley.run(SaveMessages, firstMessage('c'));
  await until(store, 'first');
  expect(await store.send('second')).toMatchObject({ ok: true });
  await until(store, 'first second');
});

test('a chat that was created while the socket was disconnected is found', async () => {
  const server = await startListening();
  const [tab, other] = [openTab(server), openTab(server)];
  const store = tab.thread('c');
  await store.open();
  await expect.poll(server.followers).toBe(1);
  await server.stop();
  await store.when(({ status }) => status === 'away');
  const again = await startListening({ databaseUrl: server.databaseUrl, port: Number(new URL(server.url).port) });
  await other.parley.run(CreateChat, { input: { id: 'c' } });
  await store.when(({ status }) => status === 'live');
  expect(again.unexpectedErrors.size).toBe(0);
});

test('with the option create, the first message creates the chat, and waiting tabs open it', async () => {
  const server = await startListening();
  const stores = [openTab(server).thread('c', { create: true }), openTab(server).thread('c', { create: true })];
  for (const store of stores) {
    expect(await store.open()).toMatchObject({ status: 'live', error: null, chat: null, thread: [] });
  }
  const [here, there] = stores as [(typeof stores)[0], (typeof stores)[0]];
  const sent = here.send('first');
  expect(shown(here)).toBe('first');
  // Sent before the chat was read: it still follows the first message.
  const next = here.send('second');
  expect([await sent, await next]).toMatchObject([{ ok: true }, { ok: true }]);
  const writing = await here.write();
  if (!writing.ok) throw writing.error;
  writing.value.append('third');
  await writing.value.finish();
  for (const store of stores) await until(store, 'first second third');
  expect(there.getState().branches).toHaveLength(1);
});

test('two tabs that both send the first message show both messages', async () => {
  const server = await startListening();
  const stores = [openTab(server).thread('c', { create: true }), openTab(server).thread('c', { create: true })];
  await Promise.all(stores.map((store) => store.open()));
  const outcomes = stores.map((store, n) => store.send(`first ${n}`));
  const loser = await Promise.race(
    stores.map(async (store) => {
      await store.when(({ conflicts }) => conflicts.length > 0);
      return store;
    }),
  );
  await loser.getState().conflicts[0]?.resolve('append');
  expect(await Promise.all(outcomes)).toMatchObject([{ ok: true }, { ok: true }]);
  for (const store of stores) await store.when(({ thread }) => thread.length === 2);
});

test('without the option create, a message to a missing chat is refused', async () => {
  const server = await startListening();
  const store = openTab(server).thread('c');
  await store.open();
  expect(await store.send('first')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  expect(store.getState()).toMatchObject({ status: 'gone', thread: [] });
});

test('all pages of branches and checkpoints are read', async () => {
  const database = await temporaryDatabase();
  await writeBranches(database.store, 'c', 1_100, 1);
  for (let n = 0; n < 1_010; n++) {
    await database.store.change('c', VIEWER.userId, async (_locked, change) => {
      change.saveCheckpoint(null, `mark ${n}`, 'c-0');
    });
  }
  const server = await startListening({ databaseUrl: database.url });
  const store = openTab(server).thread('c');
  await store.open();
  const { branches, checkpoints } = store.getState();
  expect([branches.length, checkpoints.length]).toEqual([1_101, 1_010]);
  expect(await store.switchBranch('b1099')).toMatchObject({ ok: true });
  await until(store, 'c-0 c-b1099');
  store.close();
  await server.stop();
  await database.remove();
});

test('a transferred chat is gone and keeps its text; the new owner opens it, and so does a former owner', async () => {
  const server = await startListening({ auth: AUTH });
  const tabOf = async (userId: string, isAdmin = false) =>
    openTab(server, { token: await signToken(AUTH, { userId, isAdmin, lifetime: 3600 }) });
  const [ana, bob, admin] = [await tabOf('ana'), await tabOf('bob'), await tabOf('admin', true)];
  await ana.parley.run(CreateChat, { input: { id: 'c' } });
  await ana.parley.run(SaveMessages, firstMessage('c'));
  const give = async (userId: string) => void (await admin.parley.run(Transfer, { input: { chatId: 'c', userId } }));
  const [hers, his] = [ana.thread('c', { create: true }), bob.thread('c')];
  const statuses = [hers, his].map((store) => {
    const seen: string[] = ['opening'];
    store.subscribe(() => void (store.getState().status !== seen.at(-1) && seen.push(store.getState().status)));
    return seen;
  });
  await Promise.all([hers.open(), his.open()]);
  await hers.when(({ status }) => status === 'live');
  await give('bob');
  expect(await hers.when(({ status }) => status === 'gone')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  expect(shown(hers)).toBe('first');
  expect(await hers.send('second')).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  expect(shown(hers)).toBe('first');
  await until(his, 'first');
  expect(await his.send('his')).toMatchObject({ ok: true });
  await give('ana');
  await until(hers, 'first his');
  await his.when(({ status }) => status === 'gone');
  expect(statuses).toEqual([
    ['opening', 'live', 'gone', 'catching-up', 'live'],
    ['opening', 'gone', 'catching-up', 'live', 'gone'],
  ]);
});

/** A server, and the tabs of ana, who has the chat `c` with a message, and of bob. */
async function startWithChatOfAna() {
  const server = await startListening({ auth: AUTH });
  const tabOf = async (userId: string) =>
    openTab(server, { token: await signToken(AUTH, { userId, isAdmin: false, lifetime: 3600 }) });
  const [ana, bob] = [await tabOf('ana'), await tabOf('bob')];
  await ana.parley.run(CreateChat, { input: { id: 'c' } });
  await ana.parley.run(SaveMessages, firstMessage('c'));
  return { server, ana, bob };
}

test('a store opens after an invitation, follows the role, and is gone after its removal', async () => {
  const { server, ana, bob } = await startWithChatOfAna();
  const his = bob.thread('c');
  expect(await his.open()).toMatchObject({ status: 'gone' });
  await expect.poll(server.followers).toBe(1);
  const list = new ChatList(bob.parley);
  const listed = () => list.getState().chats.map(({ id, viewerRole }) => [id, viewerRole]);
  list.subscribe(() => {});
  const invite = (role: string) => ana.parley.run(AddMember, { input: { chatId: 'c', userId: 'bob', role } });
  for (const role of ['READER', 'WRITER']) {
    await invite(role);
    await his.when(({ status, chat }) => status === 'live' && chat?.viewerRole === role);
    await expect.poll(listed).toEqual([['c', role]]);
  }
  await ana.parley.run(RemoveMember, { input: { chatId: 'c', userId: 'bob' } });
  await his.when(({ status }) => status === 'gone');
  await expect.poll(listed).toEqual([]);
  list.close();
});

test('a chat that is created between the first look and the start of the subscription is found', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await startListening();
  const { parley, requests } = openTab(server);
  const late: Parley = {
    ...parley,
    follow: (operation, variables, followed) => parley.follow(operation, variables, { ...followed, next: () => {} }),
  };
  const store = new ThreadStore(late, 'c');
  onTestFinished(() => store.close());
  const list = new ChatList(late);
  onTestFinished(list.subscribe(() => {}));
  expect(await store.open()).toMatchObject({ status: 'gone' });
  await expect.poll(server.followers).toBe(2);
  await expect.poll(() => requests).toContain('ReadVersion');
  await expect.poll(() => list.getState().status).toBe('live');
  await parley.run(CreateChat, { input: { id: 'c' } });
  await expect.poll(() => store.getState().status).toBe('live');
  await expect.poll(() => list.getState().chats.map(({ id }) => id)).toEqual(['c']);
});

test('the edit of a commenter, whose branch is not active, is shown and continued', async () => {
  const { ana, bob } = await startWithChatOfAna();
  await ana.parley.run(AddMember, { input: { chatId: 'c', userId: 'bob', role: 'COMMENTER' } });
  const [hers, his] = [ana.thread('c'), bob.thread('c')];
  await Promise.all([hers.open(), his.open()]);
  const [first] = his.getState().thread;
  expect(await his.edit(first!.id, 'his')).toMatchObject({ ok: true });
  expect(shown(his)).toBe('his');
  expect(await his.send('more')).toMatchObject({ ok: true });
  await until(his, 'his more');
  expect(his.getState()).toMatchObject({ branch: { isActive: false }, branches: { length: 2 } });
  await hers.when(({ branches }) => branches.length === 2);
  expect(shown(hers)).toBe('first');
});

const Transfer = operation<{ transferChat: { __typename: 'TransferChatPayload' } }, object>(
  'mutation Transfer($input: TransferChatInput!) { transferChat(input: $input) { __typename } }',
);

test('a message that the server has confirmed stays in the thread when an older snapshot arrives', async () => {
  const server = await startChat();
  let deliver = () => {};
  const delivered = new Promise<void>((resolve) => (deliver = resolve));
  let isRead = () => {};
  const read = new Promise<void>((resolve) => (isRead = resolve));
  const tab = openTab(server, {
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!(init?.body as string).includes('query OpenThread')) return response;
      isRead();
      await delivered;
      return response;
    },
  });
  const store = tab.thread('c', { create: true });
  const opened = store.open();
  await read;
  expect(await store.send('mine', { id: 'mine' })).toMatchObject({ ok: true });
  // The events of the message do not arrive.
  tab.hold();
  const older = store.when(({ chat }) => chat !== null);
  deliver();
  expect((await older).thread.map(({ id }) => id)).toEqual(['mine']);
  expect(await store.edit('mine', 'better')).toMatchObject({ ok: true });
  tab.release();
  await opened;
  await until(store, 'better');
});
