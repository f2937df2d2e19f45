/** Stores with the names of the original library, which open their database at the first call. */
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { ContextEngine, RemoteStore, user, XmlRenderer, type ContextStore } from '@parley/context';
import {
  InMemoryContextStore,
  openContextStore,
  PostgresContextStore,
  SqliteContextStore,
  SqlServerContextStore,
} from '../../../src/exports/parley.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { failureOf } from '../store-failure.js';

const closed = <Store extends ContextStore>(store: Store): Store => {
  onTestFinished(() => store.close());
  return store;
};
const engine = (store: ContextStore) => new ContextEngine({ store, chatId: 'chat-001', userId: 'user-001' });
const idsOf = async (store: ContextStore) => (await store.getMessages('chat-001')).map(({ id }) => id);

test('a SQLite file is created at the first call, and keeps its chats', async () => {
  const path = temporaryFile();
  const store = closed(new SqliteContextStore(path));
  expect(existsSync(path)).toBe(false);
  await engine(store)
    .set(user('Hello', { id: 'q1' }))
    .save();
  await store.close();
  const again = closed(new SqliteContextStore(path));
  const { messages } = await engine(again).resolve({ renderer: new XmlRenderer() });
  expect(messages).toMatchObject([{ id: 'q1' }]);
});

test('stores in memory share nothing', async () => {
  const [one, other] = [closed(new InMemoryContextStore()), closed(new InMemoryContextStore())];
  await engine(one)
    .set(user('Hello', { id: 'q1' }))
    .save();
  expect(await idsOf(one)).toEqual(['q1']);
  expect(await other.getChat('chat-001')).toBeNull();
});

test('such a store finds messages in all chats of a user', async () => {
  const store = closed(new InMemoryContextStore());
  await engine(store)
    .set(user('Hello Porto', { id: 'q1' }))
    .save();
  expect(await store.searchChats('user-001', 'porto')).toMatchObject([{ message: { id: 'q1' } }]);
});

test('drafts of such a store can be followed', async () => {
  const store = closed(new InMemoryContextStore());
  await store.createChat({ id: 'chat-001', userId: 'user-001' });
  await store.startDraft('chat-001', { id: 'a1' });
  await store.appendToDraft('chat-001', 'a1', 0, ['Hi']);
  await store.finishDraft('chat-001', 'a1');
  const updates = [];
  for await (const { type } of store.followDraft('chat-001', 'a1')) updates.push(type);
  expect(updates.at(-1)).toBe('finished');
});

test('a closed store, and one whose database cannot be opened, are unavailable', async () => {
  const store = new InMemoryContextStore();
  await store.close();
  const failure = { code: 'UNAVAILABLE', message: 'The store is closed', path: null };
  expect(await failureOf(store.listChats())).toEqual(failure);
  const nowhere = closed(new PostgresContextStore({ pool: 'postgresql://me:secret@127.0.0.1:1/x', migrate: false }));
  const refused = await failureOf(nowhere.listChats());
  expect(refused.code).toBe('UNAVAILABLE');
  expect(refused.message).not.toContain('secret');
});

const any = (value: unknown) => value as never;
test.each<[what: string, open: () => unknown, path: string | null]>([
  ['SqliteContextStore without a path', () => new SqliteContextStore(any(undefined)), 'path'],
  ['SqliteContextStore with options', () => new SqliteContextStore(any({ path: 'x' })), 'path'],
  ['SqliteContextStore with an invalid path', () => new SqliteContextStore('a?b'), 'path'],
  ['PostgresContextStore without options', () => new PostgresContextStore(any(undefined)), null],
  ['PostgresContextStore with a text', () => new PostgresContextStore(any('postgresql://h/d')), null],
  ['PostgresContextStore without a pool', () => new PostgresContextStore(any({})), 'pool'],
  ['PostgresContextStore with an unknown option', () => new PostgresContextStore(any({ pool: '', url: 'x' })), 'url'],
  [
    'PostgresContextStore with a URL of no database',
    () => new PostgresContextStore({ pool: 'postgresql://h' }),
    'pool',
  ],
  ['SqlServerContextStore without a database', () => new SqlServerContextStore({ pool: 'Server=h' }), 'pool'],
  ['RemoteStore without options', () => new RemoteStore(any(undefined)), null],
  ['RemoteStore with an unknown option', () => new RemoteStore(any({ url: 'http://h', timeout: 1 })), 'timeout'],
  ['ContextEngine without options', () => new ContextEngine(any(undefined)), null],
  [
    'ContextEngine with an unknown option',
    () => new ContextEngine(any({ store: new InMemoryContextStore(), chatId: 'c', userId: 'u', branchName: 'main' })),
    'branchName',
  ],
  ['openContextStore without options', () => openContextStore(any(undefined)), null],
  ['openContextStore without a URL', () => openContextStore(any({})), 'databaseUrl'],
  ['openContextStore with a wrong URL', () => openContextStore({ databaseUrl: 'mysql://h' }), 'databaseUrl'],
  [
    'openContextStore with an unknown option',
    () => openContextStore(any({ databaseUrl: ':memory:', file: 1 })),
    'file',
  ],
  [
    'openContextStore with a viewer without isAdmin',
    () => openContextStore(any({ databaseUrl: ':memory:', viewer: { userId: 'u' } })),
    'viewer.isAdmin',
  ],
])('%s names the wrong option', async (_what, open, path) => {
  const opened = (async () => open())();
  const { code, message, ...rest } = await failureOf(opened);
  expect({ code, ...rest }).toEqual({ code: 'INVALID_INPUT', path });
  if (path !== null) expect(message).toContain(path);
});
