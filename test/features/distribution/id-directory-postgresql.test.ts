/** Ids of messages in the distributed form, whose keys do not span chats. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { createChat } from '../../../src/conversation/chats.js';
import { deleteChat } from '../../../src/features/deletion/delete-chat.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { IdDirectory } from '../../../src/features/distribution/id-directory.js';
import { schemaForms, setSchemaForms } from '../../../src/database/connection/schema-form.js';
import { openDatabase, type OpenDatabase } from '../../../src/database/opening/open.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';
import { partitionedDatabase, type PartitionedDatabase } from './partitioned-schema.js';

const VIEWER = { userId: 'u', isAdmin: false };
const HOUR = 3_600_000;

let partitioned: PartitionedDatabase;
let database: OpenDatabase;
let plain: TemporaryDatabase;
let directory: IdDirectory;
beforeAll(async () => {
  partitioned = await partitionedDatabase();
  database = await openDatabase({ url: partitioned.url });
  plain = await temporaryDatabase();
  const { client } = partitioned;
  directory = new IdDirectory({
    rows: async <T extends object>({ text, values }: { text: string; values: readonly unknown[] }) =>
      (await client.query<T>(text, [...values])).rows,
    run: async ({ text, values }) => (await client.query(text, [...values])).rowCount ?? 0,
  });
  for (const { store } of [database, plain]) for (const id of ['a', 'b']) await createChat(store, VIEWER, { id });
});
afterAll(async () => {
  await database.store.close();
  await partitioned.remove();
  await plain.remove();
});

it('needs the feature: without forms, a schema whose ids are not unique is refused', async () => {
  const forms = schemaForms();
  onTestFinished(() => setSchemaForms(forms));
  setSchemaForms([]);
  await expect(openDatabase({ url: partitioned.url })).rejects.toThrow('has a form that this version of Parley lacks');
  await (await openDatabase({ url: plain.url })).store.close();
});

const save = ({ store }: Pick<OpenDatabase, 'store'>, chatId: string, id: string, more = {}) =>
  saveMessages(store, VIEWER, { chatId, messages: [{ id, name: 'user', content: { text: id } }], ...more });
const saveBranch = (chatId: string, id: string) =>
  partitioned.client.query(
    `INSERT INTO branches ("id", "chatId", "name", "isActive", "createdAt", "seq") VALUES ($1, $2, $1, false, 0, 99)`,
    [id, chatId],
  );
const entries = async () => {
  const { rows } = await partitioned.client.query<{ id: string; chatId: string; isConfirmed: boolean }>(
    'SELECT "id", "chatId", "reservedAt" IS NULL AS "isConfirmed" FROM id_directory ORDER BY "id"',
  );
  return rows.map(({ id, chatId, isConfirmed }) => [id, chatId, isConfirmed]);
};

it('one of two concurrent saves in two chats gets the id, the other one the error of the plain form', async () => {
  const results = async (of: Pick<OpenDatabase, 'store'>) => {
    const settled = await Promise.allSettled(['a', 'b'].map((chatId) => save(of, chatId, 'same')));
    return settled.map((each) => (each.status === 'rejected' ? (each.reason as Error).message : 'saved')).sort();
  };
  expect(await results(database)).toEqual(await results(plain));
});

it('a new chat does not take the id of a message or draft in another one', async () => {
  await save(database, 'a', 'taken');
  await startDraft(database.store, VIEWER, { chatId: 'a', id: 'drafted' });
  for (const [id, reason] of [
    ['taken', 'Message "taken" belongs to a different chat'],
    ['drafted', 'Message "drafted" belongs to a different chat'],
  ] as const) {
    await expect(save(database, 'b', id)).rejects.toThrow(reason);
  }
  await expect(startDraft(database.store, VIEWER, { chatId: 'b', id: 'drafted' })).rejects.toThrow('already exists');
});

it('no chat takes an id that the server has made in another one', async () => {
  await saveMessages(database.store, VIEWER, { chatId: 'a', messages: [{ name: 'user', content: { text: 'x' } }] });
  const { rows } = await partitioned.client.query<{ id: string }>(
    `SELECT "id" FROM messages WHERE "chatId" = 'a' ORDER BY "seq" DESC LIMIT 1`,
  );
  await expect(save(database, 'b', rows[0]!.id)).rejects.toThrow('belongs to a different chat');
});

it('a reservation of a failed save can be used by its chat, and is swept', async () => {
  await expect(save(database, 'a', 'failed', { expectedHeadId: 'x' })).rejects.toThrow();
  await expect(save(database, 'b', 'failed')).rejects.toThrow('belongs to a different chat');
  await save(database, 'a', 'failed');
  await expect(save(database, 'a', 'lost', { expectedHeadId: 'x' })).rejects.toThrow();
  const { signal } = new AbortController();
  await directory.sweep(Date.now() - HOUR, signal);
  expect(await entries()).toContainEqual(['lost', 'a', false]);
  await directory.sweep(Date.now() + HOUR, signal);
  expect(await entries()).toContainEqual(['failed', 'a', true]);
  expect(await entries()).not.toContainEqual(['lost', 'a', false]);
  await save(database, 'b', 'lost');
});

it.each(['messages', 'branches', 'checkpoints'] as const)(
  'an import takes no id of the server from another chat: %s',
  async (table) => {
    await createChat(database.store, VIEWER, { id: 'origin' }).catch(() => {});
    await saveMessages(database.store, VIEWER, {
      chatId: 'origin',
      messages: [{ name: 'user', content: { text: 'x' } }],
    });
    await createCheckpoint(database.store, VIEWER, { chatId: 'origin', name: 'x' });
    const { rows } = await partitioned.client.query<{ id: string }>(
      `SELECT "id" FROM ${table} WHERE "chatId" = 'origin' LIMIT 1`,
    );
    const { id } = rows[0]!;
    await expect(directory.require('b', table, [id])).rejects.toMatchObject({ code: '23505' });
    await directory.require('origin', table, [id]);
  },
);

it('ids of messages, branches and checkpoints are apart, and swept apart', async () => {
  await directory.require('a', 'messages', ['x']);
  await directory.require('b', 'branches', ['x']);
  await expect(directory.require('a', 'branches', ['x'])).rejects.toMatchObject({ code: '23505' });
  await saveBranch('b', 'x');
  await directory.sweep(Date.now() + HOUR, new AbortController().signal);
  const ids = (await entries()).filter(([id]) => String(id).includes('x'));
  expect(ids).toEqual([['branches x ', 'b', true]]);
});

it('the removal of a chat frees its ids', async () => {
  await createChat(database.store, VIEWER, { id: 'c' });
  await save(database, 'c', 'freed');
  await deleteChat(database.store, VIEWER, 'c');
  expect((await entries()).filter(([, chatId]) => chatId === 'c')).toEqual([]);
  await save(database, 'b', 'freed');
});
