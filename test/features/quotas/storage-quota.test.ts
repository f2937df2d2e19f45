/** The storage quota: how messages and files are counted, and changes that it refuses. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createChat, updateChat } from '../../../src/conversation/chats.js';
import { deleteChat, restoreChat } from '../../../src/features/deletion/delete-chat.js';
import { transferChat } from '../../../src/features/members/members.js';
import { appendToDraft } from '../../../src/features/drafts/change-draft.js';
import { finishDraft } from '../../../src/features/drafts/finish-draft.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { forkChat } from '../../../src/features/forks/fork-chat.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { checkDatabase } from '../../../src/features/maintenance/checking/check-database.js';
import { adopterOf } from '../../../src/features/imports/parley/adopt-chat.js';
import { ChatArchive } from '../../../src/features/exports/archive.js';
import { DatabaseFileRecords } from '../../../src/features/files/records/database-file-records.js';
import { quotas } from '../../../src/features/quotas/feature.js';
import { CHAT_STORAGE_CHECK } from '../../../src/features/quotas/table-check.js';
import { StorageQuotas } from '../../../src/features/quotas/storage-quotas.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { copyFromTo } from '../copies/run-copy.js';
import { VIEWER, writeChain } from '../../support/chats/large-chats.js';
import { tableAt } from '../../support/database/all-rows.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { withRecovery } from '../deletion/with-recovery.js';
import { databaseForEach } from '../../support/database/database-scope.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';

const U = VIEWER.userId;
const ADMIN = { userId: 'root', isAdmin: true };

const database = databaseForEach();
const warnings: string[] = [];
beforeEach(async () => {
  warnings.length = 0;
});
afterEach(async () => {
  vi.restoreAllMocks();
});

/** The connection of a server with a quota. */
const withQuota = (quotaBytes: number | null) => {
  const { connection } = database;
  const plain = { ...connection, scope: { ...connection.scope, warn: (line: string) => void warnings.push(line) } };
  return { ...plain, scope: { ...plain.scope, hooks: [quotas.open!(plain, { storageQuotaBytes: quotaBytes })] } };
};
const serverWith = (quotaBytes: number | null) => new DatabaseStore(withRecovery(withQuota(quotaBytes)));
const save = (store: DatabaseStore, chatId: string, bytes: number, viewer = VIEWER) => {
  // JSON has two quotes.
  const messages = [{ name: 'user', type: 'message', content: { data: 'x'.repeat(bytes - 2) } }];
  return saveMessages(store, viewer, { chatId, messages });
};
/** The quotas of a further server. */
const storage = (quotaBytes: number | null) => new StorageQuotas(database.connection, quotaBytes);
const used = async (userId = U) => (await storage(null).use(userId)).usedBytes;
const refusal = (usedBytes: number, quotaBytes: number) =>
  `Chats and files use ${usedBytes} of ${quotaBytes} bytes: delete chats or files, or ask an admin for more`;
const later = (ms: number) => {
  const now = performance.now() + ms;
  vi.spyOn(performance, 'now').mockReturnValue(now);
};

describe('the stored bytes of a user', () => {
  it('are those of the messages in all chats of the user, of any length', async () => {
    const store = serverWith(null);
    await writeChain(store, 'long', 2_500);
    await createChat(store, VIEWER, { id: 'other' });
    await createChat(store, { userId: 'bob', isAdmin: false }, { id: 'of bob' });
    const ofLong = Array.from({ length: 2_500 }, (_, n) => `"long-${n}"`.length).reduce((sum, bytes) => sum + bytes);
    expect(await used()).toBe(ofLong);
    await save(store, 'other', 100);
    await save(store, 'long', 10);
    expect([await used(), await used('bob'), await used('unknown')]).toEqual([ofLong + 110, 0, 0]);
  });

  it('are those in UTF-8', async () => {
    const store = serverWith(null);
    await createChat(store, VIEWER, { id: 'c' });
    await saveMessages(store, VIEWER, {
      chatId: 'c',
      messages: [{ name: 'user', type: 'message', content: { data: 'é🎉' } }],
    });
    expect(await used()).toBe(8);
  });

  it('contain deleted chats until they are removed, and files', async () => {
    const store = serverWith(null);
    await createChat(store, VIEWER, { id: 'c' });
    await save(store, 'c', 100);
    await deleteChat(store, VIEWER, 'c');
    expect(await used()).toBe(100);
    await restoreChat(store, VIEWER, 'c', 7);
    expect(await used()).toBe(100);
    await deleteChat(store, VIEWER, 'c');
    await deleteChat(store, VIEWER, 'c', { permanently: true });
    expect(await used()).toBe(0);
    const records = new DatabaseFileRecords(database.connection, { unusedForMs: 1_000 });
    const file = { id: 'f'.repeat(64), size: 7, mediaType: 'text/plain', storageKey: 'k' };
    await records.announce('k');
    expect(await records.add(U, file)).toBe('STORED');
    expect(await used()).toBe(7);
  });

  it('follow the titles and metadata of changed, forked, imported and transferred chats', async () => {
    const store = serverWith(null);
    await createChat(store, VIEWER, { id: 'c', title: '1234', metadata: { a: 1 } });
    expect(await used()).toBe(4 + '"a":1'.length);
    await updateChat(store, VIEWER, { id: 'c', title: '12', metadata: {} });
    await save(store, 'c', 10);
    expect(await used()).toBe(12);
    await forkChat(store, VIEWER, { chatId: 'c', id: 'fork' });
    expect(await used()).toBe(24);
    const target = await temporaryDatabase();
    onTestFinished(() => target.remove());
    await adopterOf(target.connection)((await new ChatArchive(database.connection).read('fork', null))!);
    expect((await new StorageQuotas(target.connection, null).use(U)).usedBytes).toBe(12);
    await transferChat(store, ADMIN, { id: 'fork', userId: 'bob' });
    expect([await used(), await used('bob')]).toEqual([12, 12]);
    expect((await checkDatabase(database.connection, [CHAT_STORAGE_CHECK])).findings).toEqual([]);
  });

  it('are counted again after a server of the previous version has counted', async () => {
    const store = serverWith(null);
    await createChat(store, VIEWER, { id: 'c', title: '1234' });
    await save(store, 'c', 10);
    expect(await used()).toBe(14);
    const table = tableAt(database.url, 'chat_storage').sql;
    await (await rawDatabase(database.url)).run(`UPDATE ${table} SET "chatBytes" = NULL`);
    expect(await used()).toBe(14);
  });

  it('are counted once by servers that count at the same time', async () => {
    await writeChain(serverWith(null), 'c', 1_200);
    const sums = await Promise.all([used(), used(), used()]);
    expect(new Set(sums)).toEqual(new Set([await used()]));
  });
});

describe('a full quota', () => {
  const full = async () => {
    const store = serverWith(100);
    await createChat(store, VIEWER, { id: 'c' });
    // The last change may exceed the quota.
    await save(store, 'c', 99);
    await save(store, 'c', 51);
    return store;
  };

  it('refuses messages, chats, forks, drafts and files, and writes nothing', async () => {
    const store = await full();
    const reason = refusal(150, 100);
    await expect(save(store, 'c', 2)).rejects.toThrow(reason);
    await expect(createChat(store, VIEWER, { id: 'd' })).rejects.toThrow(reason);
    await expect(forkChat(store, VIEWER, { chatId: 'c', id: 'e' })).rejects.toThrow(reason);
    await expect(startDraft(store, VIEWER, { chatId: 'c', id: 'draft' })).rejects.toThrow(reason);
    const records = new DatabaseFileRecords(withQuota(100), { unusedForMs: 1_000 });
    await expect(records.admit(U, 1)).rejects.toThrow(reason);
    expect([await used(), await store.chat('d'), await store.chat('e')]).toEqual([150, null, null]);
  });

  it('refuses an import', async () => {
    await full();
    const whole = await new ChatArchive(database.connection).read('c', null);
    await expect(adopterOf(withQuota(100))({ ...whole!, chat: { ...whole!.chat, id: 'copy' } })).rejects.toThrow(
      refusal(150, 100),
    );
  });

  it('never refuses the end of a draft', async () => {
    const store = serverWith(100);
    await createChat(store, VIEWER, { id: 'c' });
    await startDraft(store, VIEWER, { chatId: 'c', id: 'draft' });
    await save(store, 'c', 150);
    await finishDraft(store, VIEWER, { chatId: 'c', id: 'draft', content: { data: 'x'.repeat(48) } });
    expect(await used()).toBe(200);
  });

  it('knows the open drafts of other servers when another draft starts', async () => {
    const [store, other] = [serverWith(100), serverWith(100)];
    await createChat(store, VIEWER, { id: 'c' });
    await startDraft(store, VIEWER, { chatId: 'c', id: 'one' });
    await appendToDraft(other, VIEWER, { chatId: 'c', id: 'one', offset: 0, chunks: ['x'.repeat(97)] });
    const start = () => startDraft(store, VIEWER, { chatId: 'c', id: 'two' });
    await expect(start()).rejects.toThrow(refusal(100, 100));
    await finishDraft(other, VIEWER, { chatId: 'c', id: 'one', content: { data: 'short' } });
    await start();
    expect(await used()).toBe(7);
  });

  it('refuses a transfer to its user', async () => {
    const store = await full();
    const bob = { userId: 'bob', isAdmin: false };
    await createChat(store, bob, { id: 'of bob' });
    await save(store, 'of bob', 20, bob);
    const sent = transferChat(store, ADMIN, { id: 'of bob', userId: U });
    await expect(sent).rejects.toThrow('The owner of the chat has no storage left');
    await transferChat(store, ADMIN, { id: 'c', userId: 'bob' });
    expect([await used(), await used('bob')]).toEqual([0, 170]);
    await expect(save(store, 'of bob', 2, bob)).rejects.toThrow(refusal(170, 100));
  });

  it('is free again one second after chats were removed by another server', async () => {
    const store = await full();
    await expect(save(store, 'c', 2)).rejects.toThrow('use 150 of 100 bytes');
    await createChat(serverWith(null), VIEWER, { id: 'd' });
    const other = new DatabaseStore(database.connection);
    await deleteChat(other, VIEWER, 'c');
    later(1_001);
    await save(store, 'd', 2);
    expect(await used()).toBe(2);
  });

  it('by another server is known a minute later', async () => {
    const [store, other] = [serverWith(100), serverWith(null)];
    await createChat(store, VIEWER, { id: 'c' });
    await save(other, 'c', 100);
    await save(store, 'c', 10);
    later(60_001);
    await expect(save(store, 'c', 2)).rejects.toThrow('use 110 of 100 bytes');
  });
});

describe('the quota of one user', () => {
  it('replaces that of the server until it is removed', async () => {
    const connection = withQuota(100);
    const store = new DatabaseStore(connection);
    const { context } = await connection.scope.hooks[0]!.serve!(null as never);
    const { storage } = context as { storage: StorageQuotas };
    await createChat(store, VIEWER, { id: 'c' });
    await storage.setQuota(U, 2 ** 43);
    await save(store, 'c', 150);
    await save(store, 'c', 10);
    expect(await storage.use(U)).toEqual({ usedBytes: 160, quotaBytes: 2 ** 43 });
    await storage.setQuota(U, null);
    await expect(save(store, 'c', 2)).rejects.toThrow('use 160 of 100 bytes');
  });

  it('is that of one of the servers that set it at the same time', async () => {
    await Promise.all([1, 2, 3].map((bytes) => storage(100).setQuota(U, bytes)));
    expect([1, 2, 3]).toContain((await storage(100).use(U)).quotaBytes);
  });
});

it('of users is copied into another database, for any number of users', async () => {
  const target = await temporaryDatabase();
  onTestFinished(() => target.remove());
  for (let n = 0; n < 251; n++) await storage(100).setQuota(`u${n}`, 2 ** 43);
  expect(await copyFromTo(database.url, target.url)).toMatchObject({ code: 0 });
  const copied = await (await rawDatabase(target.url)).rows('SELECT "userId", "quotaBytes" FROM user_storage');
  expect(copied).toHaveLength(251);
});

it('is logged once when four fifths of the quota are used', async () => {
  const store = serverWith(100);
  await createChat(store, VIEWER, { id: 'c' });
  await save(store, 'c', 79);
  later(60_001);
  await save(store, 'c', 2);
  expect(warnings).toEqual([]);
  later(60_001);
  await save(store, 'c', 2);
  later(5_001);
  await save(store, 'c', 2);
  expect(warnings).toEqual([`User "${U}" stores 81 of 100 bytes (STORAGE_QUOTA_BYTES)`]);
});
