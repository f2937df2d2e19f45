/** Calls of programs that were written for @deepagents/context. */
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { assistant, assistantText, ContextEngine, messageCodec, user, type ContextStore } from '@parley/context';
import { openContextStore } from '../../../src/exports/parley.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { readDocument } from '../docs/docs-examples.js';
import { failureOf } from '../store-failure.js';
import { openStores, STORE_NAMES } from '../stores.js';

const stores = openStores();

describe.each(STORE_NAMES)('%s', (storeName) => {
  let store: ContextStore;
  beforeEach(() => void (store = stores.get(storeName)));
  const open = (chatId = 'c') => new ContextEngine({ store, chatId, userId: 'u' });

  test('setActiveBranch accepts the id of a branch, after names', async () => {
    const engine = open().set(user('1', { id: 'm1' }), assistant('2', { id: 'm2' }));
    await engine.save();
    await engine.rewind('m1');
    const main = await store.getBranch('c', 'main');
    if (main === null) throw new Error('main is missing');
    expect(await store.setActiveBranch('c', main.id)).toMatchObject({ name: 'main', isActive: true });
    // A name that equals the id of another branch.
    await store.createBranch({ chatId: 'c', headMessageId: 'm1', name: main.id, isActive: false });
    expect(await store.setActiveBranch('c', main.id)).toMatchObject({ name: main.id, headMessageId: 'm1' });
  });

  test('setActiveBranch finds no branch of another chat by its id', async () => {
    await open().set(user('1')).save();
    const { branch } = await open('other').set(user('1')).save();
    expect(await failureOf(store.setActiveBranch('c', branch.id))).toEqual({
      code: 'NOT_FOUND',
      message: `Branch "${branch.id}" not found in chat "c"`,
      path: null,
    });
    expect(await failureOf(store.setActiveBranch('nowhere', branch.id))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('assistantText creates an assistant message', async () => {
    await open()
      .set(assistantText('Hi', { id: 'a1' }))
      .save();
    expect(await store.getMessage('a1')).toMatchObject({
      name: 'assistant',
      data: { id: 'a1', role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] },
    });
  });
});

test('a codec is refused outside messages, also in nested fragments', () => {
  const engine = new ContextEngine({ store: stores.get('in process'), chatId: 'c', userId: 'u' });
  const withCodec = { name: 'order', data: 'x', codec: messageCodec({ n: 1 }) };
  const refused = (path: string, name = 'order') => ({
    code: 'INVALID_INPUT',
    path,
    message: `Fragment "${name}": ${path} has a codec, which only fragments of the type 'message' use`,
  });
  expect(() => engine.set(withCodec)).toThrow(expect.objectContaining(refused('0')));
  expect(() => engine.set({ name: 'all', data: [withCodec] })).toThrow(
    expect.objectContaining(refused('0.data.0', 'all')),
  );
  engine.set({ name: 'video', data: { codec: 'h264', name: 'clip', data: 'x' } }, { name: 'all', data: user('kept') });
  expect(engine.fragments).toHaveLength(2);
});

test('a head that points to a missing message makes calls fail with a ContextError', async () => {
  const path = temporaryFile();
  const store = await openContextStore({ databaseUrl: `file:${path}` });
  onTestFinished(() => store.close());
  const engine = new ContextEngine({ store, chatId: 'c', userId: 'u' });
  await engine.set(user('1', { id: 'm1' }), user('2', { id: 'm2' })).save();
  const file = new Database(path);
  file.pragma('foreign_keys = OFF');
  file.prepare("DELETE FROM messages WHERE id = 'm2'").run();
  file.close();
  engine.set(user('3', { id: 'm3' }));
  const failure = await failureOf(engine.save());
  expect(['INTERNAL', 'NOT_FOUND']).toContain(failure.code);
  expect(failure.message).toContain('"m2"');
  expect(engine.pendingMessages).toHaveLength(1);
  expect(await store.getMessage('m3')).toBeNull();
});

test('times have no default in the database', async () => {
  const path = temporaryFile();
  const store = await openContextStore({ databaseUrl: `file:${path}` });
  await store.close();
  const file = new Database(path, { readonly: true });
  onTestFinished(() => void file.close());
  const times = file
    .prepare(
      `SELECT columns.name, columns.dflt_value AS value FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND columns.name GLOB '*At'`,
    )
    .all() as { name: string; value: string | null }[];
  expect(times.map(({ name }) => name)).toContain('createdAt');
  expect(times.filter(({ value }) => value !== null)).toEqual([]);
});

test('each difference of ADR 22 has a test', () => {
  const document = readDocument('docs/adr/0022-differences-from-the-original.md');
  const [differences = '', tests = ''] = document.split('## Tests');
  const titles = [...differences.matchAll(/^\*\*(.+?)\.?\*\*/gm)].map(([, title]) => title);
  const rows = [...tests.matchAll(/^\| (.+?) +\| `(.+?)`: (.+?) +\|$/gm)];
  expect([...new Set(rows.map(([, title]) => title))]).toEqual(titles);
  for (const [, , path = '', name = ''] of rows)
    expect([path, readDocument(path).includes(name)]).toEqual([path, true]);
});
