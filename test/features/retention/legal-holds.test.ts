/** Legal holds: no removal of a chat passes them, also none that runs at the same moment. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { deleteChat, restoreChat } from '../../../src/features/deletion/delete-chat.js';
import { addMember, transferChat } from '../../../src/features/members/members.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { withHooks } from '../../../src/database/change-hooks.js';
import type { Provider } from '../../../src/database/connection/connection.js';
import { connect } from '../../../src/database/opening/open.js';
import { eraseUser } from '../../../src/features/deletion/erasure.js';
import { removeDueChats } from '../../../src/features/deletion/recovery.js';
import { finishRemovals } from '../../../src/features/deletion/removal.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { removeExpired } from '../../../src/features/retention/expired-chats.js';
import {
  LegalHolds,
  liftLegalHold,
  setLegalHold,
  type HoldRequest,
} from '../../../src/features/retention/legal-holds.js';
import { UserRetentions } from '../../../src/features/retention/retention.js';
import { openContextStore } from '../../../src/features/in-process/open-context-store.js';
import { withRecovery } from '../deletion/with-recovery.js';
import { copyFromTo } from '../copies/run-copy.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { databaseForEach } from '../../support/database/database-scope.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';

const DAY_MS = 24 * 60 * 60_000;
const ANN = { userId: 'ann', isAdmin: false };
const ADMIN = { userId: 'admin', isAdmin: true };
const ALWAYS = { signal: new AbortController().signal };

const database = databaseForEach();
let connection: Provider;
let holds: LegalHolds;
let now = Date.now();
const storeOn = (recoveryDays = 7) => new DatabaseStore(withRecovery(connection, recoveryDays), { clock: () => now });
const messagesOf = async (chatId: string) =>
  (await database.allRows()).messages.filter((message) => message.chatId === chatId).length;
const hold = (request: HoldRequest) => setLegalHold(holds, ADMIN, { ...request, reason: 'case 7' }, now);
const lift = (request: HoldRequest) => liftLegalHold(holds, ADMIN, request);
const expire = async () => {
  const removed: string[] = [];
  for await (const { id } of removeExpired(new UserRetentions(connection, 1), storeOn())) removed.push(id);
  return removed;
};
const removeEverywhere = async () => {
  await removeDueChats(connection, now, ALWAYS);
  await finishRemovals(connection);
  await expire();
};

beforeEach(async () => {
  now = Date.now();
  holds = new LegalHolds(database.connection);
  connection = withHooks(database.connection, [holds.guard()]);
  await createChat(storeOn(), ANN, { id: 'c' });
  await saveMessages(storeOn(), ANN, { chatId: 'c', messages: [{ name: 'user', content: { text: 'x' } }] });
});
const TARGETS = [
  ['a chat', { chatId: 'c' }],
  ['its owner', { userId: 'ann' }],
] as const;
describe.each(TARGETS)('a hold on %s', (_, target) => {
  it('refuses deletion, also permanently, with and without recovery, to its owner and to admins', async () => {
    await hold(target);
    for (const viewer of [ANN, ADMIN]) {
      for (const store of [storeOn(), storeOn(0)]) {
        await expect(deleteChat(store, viewer, 'c')).rejects.toThrow('Chat "c" is under a legal hold');
        await expect(deleteChat(store, viewer, 'c', { permanently: true })).rejects.toThrow('legal hold');
      }
    }
    expect(await messagesOf('c')).toBe(1);
    await lift(target);
    await deleteChat(storeOn(0), ANN, 'c');
    expect(await messagesOf('c')).toBe(0);
  });

  it('refuses retention, also when it is set while the sweep runs', async () => {
    now += 3 * DAY_MS;
    await hold(target);
    expect(await expire()).toEqual([]);
    await lift(target);
    await createChat(storeOn(), { userId: 'bob', isAdmin: false }, { id: 'earlier' });
    now += 3 * DAY_MS;
    const sweep = removeExpired(new UserRetentions(connection, 1), storeOn());
    // Both chats are in the page that the sweep has read.
    expect((await sweep.next()).value).toMatchObject({ id: 'c' });
    await restoreChat(storeOn(), ANN, 'c', 7);
    await hold({ chatId: 'earlier' });
    expect((await sweep.next()).done).toBe(true);
    expect(await storeOn().chat('earlier')).not.toBeNull();
  });

  it('keeps a deleted chat after its time, which can then be restored', async () => {
    await deleteChat(storeOn(), ANN, 'c');
    await hold(target);
    now += 30 * DAY_MS;
    await removeEverywhere();
    await expect(deleteChat(storeOn(), ANN, 'c', { permanently: true })).rejects.toThrow('legal hold');
    await expect(createChat(storeOn(), ANN, { id: 'c' })).rejects.toThrow('already exists');
    expect(await messagesOf('c')).toBe(1);
    await restoreChat(storeOn(), ANN, 'c', 7);
    await expect(deleteChat(storeOn(), ANN, 'c')).rejects.toThrow('legal hold');
    await lift(target);
    await deleteChat(storeOn(), ANN, 'c');
    now += 8 * DAY_MS;
    await removeEverywhere();
    expect(await messagesOf('c')).toBe(0);
  });

  it('keeps a deleted chat after its time when a command without features opens the database', async () => {
    now -= 30 * DAY_MS;
    await deleteChat(storeOn(), ANN, 'c');
    await hold(target);
    const opened = await connect(database.url, { migrate: true });
    await opened.connection.close();
    expect(await messagesOf('c')).toBe(1);
  });

  it('refuses a deletion by the library for agents', async () => {
    await hold(target);
    const store = await openContextStore({ databaseUrl: database.url });
    await expect(store.deleteChat('c')).rejects.toThrow('Chat "c" is under a legal hold');
    await store.close();
    expect(await messagesOf('c')).toBe(1);
  });

  it('refuses the erasure of its owner, before anything is changed', async () => {
    await createChat(storeOn(), ANN, { id: 'other' });
    await createChat(storeOn(), ANN, { id: 'deleted' });
    await deleteChat(storeOn(), ANN, 'deleted');
    await hold(target);
    await expect(eraseUser(connection, 'ann')).rejects.toThrow('legal hold');
    expect((await database.allRows()).chats.map(({ id }) => id)).toEqual(['c', 'deleted', 'other']);
    expect(await storeOn().deletedChat('deleted')).not.toBeNull();
    await lift(target);
    expect((await eraseUser(connection, 'ann')).removed).toMatchObject({ chats: 3, messages: 1 });
  });

  it('refuses the erasure of a user who acted in the chat', async () => {
    await addMember(storeOn(), ANN, { chatId: 'c', userId: 'bob', role: 'WRITER' });
    const bob = { userId: 'bob', isAdmin: false };
    await saveMessages(storeOn(), bob, { chatId: 'c', messages: [{ name: 'user', content: { text: 'y' } }] });
    await hold(target);
    await expect(eraseUser(connection, 'bob')).rejects.toThrow('"bob" cannot be erased, because chat "c"');
    await lift(target);
    expect(await eraseUser(connection, 'bob')).toMatchObject({ messages: 1 });
  });

  it('refuses the erasure of a member that never acted', async () => {
    await addMember(storeOn(), ANN, { chatId: 'c', userId: 'bob', role: 'READER' });
    await hold(target);
    await expect(eraseUser(connection, 'bob')).rejects.toThrow('"bob" cannot be erased, because chat "c"');
    await lift(target);
    expect((await eraseUser(connection, 'bob')).removed).toMatchObject({ chat_members: 1 });
  });

  it('does not end with a transfer and a deletion by the new owner', async () => {
    const bob = { userId: 'bob', isAdmin: false };
    await hold(target);
    await transferChat(storeOn(), ADMIN, { id: 'c', userId: 'bob' }).catch((error: unknown) =>
      expect(String(error)).toContain('The owner of chat "c" is under a legal hold'),
    );
    const { userId } = (await storeOn().chat('c'))!;
    expect(userId).toBe('userId' in target ? 'ann' : 'bob');
    await expect(deleteChat(storeOn(0), userId === 'bob' ? bob : ANN, 'c')).rejects.toThrow('legal hold');
    expect(await messagesOf('c')).toBe(1);
  });
});

describe('a hold on a user', () => {
  it('is one, when servers set it at the same moment', async () => {
    const servers = await Promise.all(['a', 'b', 'c'].map(() => connect(database.url, { migrate: false })));
    const stores = servers.map(({ connection: each }) => new LegalHolds(each));
    for (let round = 0; round < 5; round++) {
      const userId = `u${round}`;
      await Promise.all(stores.map((store) => setLegalHold(store, ADMIN, { userId, reason: 'case 7' }, now)));
      const page = { first: 9, last: null, after: null, before: null };
      const { rows } = await connection.read((db) => holds.reads(db).holdPage(page));
      expect(rows.filter(({ targetId }) => targetId === userId)).toHaveLength(1);
    }
    for (const { connection: each } of servers) await each.close();
  });
});

describe('a hold on a chat', () => {
  it('is refused for an unknown chat, and for one that was removed', async () => {
    await expect(hold({ chatId: 'none' })).rejects.toThrow('Chat "none" not found');
    await deleteChat(storeOn(0), ANN, 'c');
    await expect(hold({ chatId: 'c' })).rejects.toThrow('Chat "c" not found');
    await expect(lift({ chatId: 'c' })).rejects.toThrow('has no legal hold');
  });

  it('holds the chat or is refused, when the chat is removed at the same moment', async () => {
    for (let round = 0; round < 5; round++) {
      for (const isDeleted of [false, true]) {
        const id = `${round} ${isDeleted}`;
        await writeChain(storeOn(), id, 1);
        if (isDeleted) await deleteChat(storeOn(), ADMIN, id);
        if (isDeleted) now += 8 * DAY_MS;
        const remove = isDeleted
          ? removeDueChats(connection, now, ALWAYS)
          : deleteChat(storeOn(0), ADMIN, id).catch((error: unknown) => expect(String(error)).toContain('legal hold'));
        const [isHeld] = await Promise.all([
          hold({ chatId: id }).then(
            () => true,
            () => false,
          ),
          remove,
        ]);
        expect([isHeld, await messagesOf(id)]).toEqual([isHeld, isHeld ? 1 : 0]);
      }
    }
  });

  it('allows new messages, and changes of its title', async () => {
    await hold({ chatId: 'c' });
    await saveMessages(storeOn(), ANN, { chatId: 'c', messages: [{ name: 'user', content: { text: 'y' } }] });
    expect(await messagesOf('c')).toBe(2);
  });
});

it('a copy has legal holds and retention, in any number', async () => {
  const retentions = new UserRetentions(connection, null);
  for (let n = 0; n < 251; n++) {
    await hold({ userId: `u${n}` });
    await retentions.set(`u${n}`, 9);
  }
  const target = await temporaryDatabase();
  onTestFinished(() => target.remove());
  expect(await copyFromTo(database.url, target.url)).toMatchObject({ code: 0 });
  expect(await copyFromTo(database.url, target.url)).toMatchObject({ code: 0 });
  const { sql } = retentions;
  const { read } = target.connection;
  expect(await read((db) => db.rows(sql.holdPage({ after: null, before: null }, 'first', 999)))).toHaveLength(251);
  expect(await read((db) => db.rows(sql.retentions('', 999)))).toHaveLength(251);
});
