/** Branches and checkpoints of each store, and closed stores. */
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ContextStore } from '@parley/context';
import { openContextStore } from '../../../src/exports/parley.js';
import { isInMemory } from '../../support/database/database-kind.js';
import { failureOf, notFound } from '../store-failure.js';
import { openStores, STORE_NAMES } from '../stores.js';
import { aNumber, aText, userMessage, ids, chatOfFour, branchesOf } from './store-messages.js';

const stores = openStores();

describe.each(STORE_NAMES)('the store %s', (storeName) => {
  let store: ContextStore;

  beforeEach(() => void (store = stores.get(storeName)));

  describe('compares', () => {
    test('diverged, identical and successive places', async () => {
      await chatOfFour(store);
      await store.createBranch({ chatId: 'c', headMessageId: 'm2', name: 'side', isActive: true });
      await store.saveMessages('c', [userMessage('s3')]);
      await store.createCheckpoint({ chatId: 'c', name: 'early', messageId: 'm1' });
      expect(await store.compare('c', { branch: 'main' }, { branch: 'side' })).toStrictEqual({
        status: 'DIVERGED',
        base: await store.getMessage('m4'),
        head: await store.getMessage('s3'),
        commonAncestor: await store.getMessage('m2'),
        aheadBy: 1,
        behindBy: 2,
      });
      const early = { checkpoint: 'early' };
      expect(await store.compare('c', early, { messageId: 'm3' })).toMatchObject({ status: 'AHEAD', aheadBy: 2 });
      expect(await store.compare('c', { messageId: 'm3' }, early)).toMatchObject({ status: 'BEHIND', behindBy: 2 });
      expect(await store.compare('c', early, { messageId: 'm1' })).toMatchObject({ status: 'IDENTICAL' });
    });

    test('no missing place, and no place with two members', async () => {
      await chatOfFour(store);
      expect(await store.compare('c', { branch: 'nowhere' }, { branch: 'main' })).toBeNull();
      expect(await failureOf(store.compare('nobody', { branch: 'main' }, { branch: 'main' }))).toEqual(
        notFound('Chat "nobody"'),
      );
      expect(await failureOf(store.compare('c', { branch: 'main' }, { branch: 'main', messageId: 'm1' }))).toEqual({
        code: 'INVALID_INPUT',
        message: 'head must have exactly one text: branch, checkpoint or messageId',
        path: 'head',
      });
    });
  });

  describe('of branches', () => {
    test('creates active and inactive branches at any message', async () => {
      await chatOfFour(store);
      expect(await store.createBranch({ chatId: 'c', headMessageId: 'm2', isActive: true })).toStrictEqual({
        id: aText,
        chatId: 'c',
        name: 'main-v2',
        headMessageId: 'm2',
        isActive: true,
        messageCount: 2,
        createdAt: aNumber,
      });
      expect(
        await store.createBranch({ chatId: 'c', headMessageId: 'm4', name: 'side', isActive: false }),
      ).toMatchObject({ name: 'side', headMessageId: 'm4', isActive: false, messageCount: 4 });
      // Named after the active branch.
      expect(await store.createBranch({ chatId: 'c', headMessageId: 'm1', isActive: false })).toMatchObject({
        name: 'main-v2-v2',
        isActive: false,
      });
      const all = await store.listBranches('c');
      expect(all.map(({ name, isActive }) => [name, isActive])).toEqual([
        ['main', false],
        ['main-v2', true],
        ['side', false],
        ['main-v2-v2', false],
      ]);
      for (const branch of all) expect(await store.getBranch('c', branch.name)).toStrictEqual(branch);
      expect(await store.getActiveBranch('c')).toStrictEqual(all[1]);
      expect(await store.getBranch('c', 'nowhere')).toBeNull();
      expect(await store.getBranch('c', '')).toBeNull();
    });

    test.each([true, false])('creates an empty branch; active: %s', async (isActive) => {
      await chatOfFour(store);
      expect(await store.createBranch({ chatId: 'c', headMessageId: null, name: 'anew', isActive })).toStrictEqual({
        id: aText,
        chatId: 'c',
        name: 'anew',
        headMessageId: null,
        isActive,
        messageCount: 0,
        createdAt: aNumber,
      });
      await store.saveMessages('c', [userMessage('other')], { branch: 'anew' });
      expect(await branchesOf(store)).toEqual({
        [isActive ? 'main' : 'main*']: ['m1', 'm2', 'm3', 'm4'],
        [isActive ? 'anew*' : 'anew']: ['other'],
      });
      expect(await store.createBranch({ chatId: 'c', headMessageId: null, isActive })).toMatchObject({
        name: isActive ? 'anew-v2' : 'main-v2',
        headMessageId: null,
      });
    });

    test('requires a message id or null', async () => {
      await chatOfFour(store);
      for (const isActive of [true, false]) {
        expect(await failureOf(store.createBranch({ chatId: 'c', isActive } as never))).toEqual({
          code: 'INVALID_INPUT',
          message: 'headMessageId must be given; null makes a branch without messages',
          path: 'headMessageId',
        });
      }
      expect(await branchesOf(store)).toEqual({ 'main*': ['m1', 'm2', 'm3', 'm4'] });
    });

    test('activates one branch and deactivates the others', async () => {
      await chatOfFour(store);
      await store.createBranch({ chatId: 'c', headMessageId: 'm2', name: 'side', isActive: false });
      const active = await store.setActiveBranch('c', 'side');
      expect(active).toMatchObject({ chatId: 'c', name: 'side', headMessageId: 'm2', isActive: true });
      expect(await store.setActiveBranch('c', 'side')).toStrictEqual(active);
      expect(await branchesOf(store)).toEqual({ main: ['m1', 'm2', 'm3', 'm4'], 'side*': ['m1', 'm2'] });
      expect(ids(await store.getMessages('c'))).toEqual(['m1', 'm2']);
      expect(await failureOf(store.setActiveBranch('c', 'nowhere'))).toEqual({
        code: 'NOT_FOUND',
        message: 'Branch "nowhere" not found in chat "c"',
        path: null,
      });
      expect(await failureOf(store.setActiveBranch('c', ''))).toEqual({
        code: 'INVALID_INPUT',
        message: 'name must not be empty',
        path: 'name',
      });
      expect(await store.getActiveBranch('c')).toStrictEqual(active);
    });
  });

  test('renames a branch, and deletes an inactive branch', async () => {
    await chatOfFour(store);
    await store.createBranch({ chatId: 'c', headMessageId: 'm2', name: 'side', isActive: false });
    const { id } = await store.getActiveBranch('c');
    expect(await store.renameBranch('c', 'main', 'trunk')).toMatchObject({ id, name: 'trunk', isActive: true });
    expect(await failureOf(store.renameBranch('c', 'side', 'trunk'))).toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(await failureOf(store.deleteBranch('c', 'trunk'))).toMatchObject({ code: 'INVALID_INPUT', path: 'name' });
    expect(await store.deleteBranch('c', 'side')).toBe(true);
    expect(await store.deleteBranch('c', 'side')).toBe(false);
    expect(await branchesOf(store)).toEqual({ 'trunk*': ['m1', 'm2', 'm3', 'm4'] });
    expect(await store.getMessage('m2')).not.toBeNull();
  });

  describe('of checkpoints', () => {
    test('saves a checkpoint, and moves it to another message', async () => {
      await chatOfFour(store);
      const first = await store.createCheckpoint({ chatId: 'c', name: 'here', messageId: 'm2' });
      expect(first).toStrictEqual({ id: aText, chatId: 'c', name: 'here', messageId: 'm2', createdAt: aNumber });
      await store.createCheckpoint({ chatId: 'c', name: 'there', messageId: 'm3' });
      expect((await store.listCheckpoints('c')).map(({ name }) => name)).toEqual(['there', 'here']);
      const moved = await store.createCheckpoint({ chatId: 'c', name: 'here', messageId: 'm4' });
      expect(moved).toMatchObject({ name: 'here', messageId: 'm4' });
      expect(await store.getCheckpoint('c', 'here')).toStrictEqual(moved);
      expect(await store.listCheckpoints('c')).toStrictEqual([moved, await store.getCheckpoint('c', 'there')]);
    });

    test('deletes the checkpoint, not its message', async () => {
      await chatOfFour(store);
      await store.createCheckpoint({ chatId: 'c', name: 'here', messageId: 'm2' });
      expect(await store.deleteCheckpoint('c', 'here')).toBe(true);
      expect(await store.deleteCheckpoint('c', 'here')).toBe(false);
      expect(await store.getCheckpoint('c', 'here')).toBeNull();
      expect(await store.getCheckpoint('c', '')).toBeNull();
      expect(await store.listCheckpoints('c')).toEqual([]);
      expect(await store.getMessage('m2')).not.toBeNull();
    });
  });

  test('can be closed, and its server continues', async () => {
    await store.close();
    expect(await store.listChats()).toEqual([]);
  });
});

test('a closed store reports that it is closed, and can be closed again', async () => {
  const store = await openContextStore({ databaseUrl: isInMemory ? ':memory:' : stores.databaseUrl });
  await store.close();
  await store.close();
  const closed = { code: 'UNAVAILABLE', message: 'The store is closed', path: null };
  expect(await failureOf(store.listChats())).toEqual(closed);
  expect(await failureOf(store.deleteChat('c'))).toEqual(closed);
});

// A second connection cannot open a database in memory.
const testIfShared = isInMemory ? () => {} : test;

testIfShared('a store of one user has no other’s chats', async () => {
  const all = stores.get('in process');
  await all.createChat({ id: 'theirs', userId: 'somebody else' });
  await all.saveMessages('theirs', [userMessage('t1', 'apple')]);
  const viewer = { userId: 'u', isAdmin: false };
  const store = await openContextStore({ databaseUrl: stores.databaseUrl, viewer });
  onTestFinished(() => store.close());
  const own = await store.createChat({ id: 'own', userId: 'u' });
  expect(await store.listChats()).toStrictEqual([own]);
  expect(await store.listChats({ userId: 'u' })).toStrictEqual([own]);
  expect(await store.getChat('theirs')).toBeNull();
  expect(await store.getBranch('theirs', 'main')).toBeNull();
  expect(await store.getMessage('t1')).toBeNull();
  expect(await store.deleteChat('theirs')).toBe(false);
  expect(await failureOf(store.getMessageChain('t1'))).toEqual(notFound('Message "t1"'));
  expect(await failureOf(store.hasChildren('t1'))).toEqual(notFound('Message "t1"'));
  for (const call of [
    () => store.updateChat('theirs', { title: 'mine' }),
    () => store.saveMessages('theirs', [userMessage('t2')]),
    () => store.getActiveBranch('theirs'),
    () => store.listBranches('theirs'),
    () => store.searchMessages('theirs', 'apple'),
    () => store.getGraph('theirs'),
  ]) {
    expect(await failureOf(call())).toEqual(notFound('Chat "theirs"'));
  }
  const refused = (message: string) => ({ code: 'INVALID_INPUT', message, path: 'userId' });
  expect(await failureOf(store.listChats({ userId: 'somebody else' }))).toEqual(
    refused("userId: only an admin may list another user's chats"),
  );
  expect(await failureOf(store.createChat({ id: 'x', userId: 'somebody else' }))).toEqual(
    refused('userId: only an admin may create a chat for another user'),
  );
  const taken = { code: 'ALREADY_EXISTS', message: 'Chat "theirs" already exists', path: null };
  expect(await failureOf(store.upsertChat({ id: 'theirs', userId: 'u' }))).toEqual(taken);
  expect(await failureOf(store.saveMessages('own', [userMessage('t1')]))).toEqual({
    ...taken,
    message: 'Message "t1" already exists',
  });
});
