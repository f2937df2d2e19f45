/** Drafts of each store. */
import { beforeEach, describe, expect, test } from 'vitest';
import {
  DraftOffsetError,
  RemoteStore,
  type ContextStore,
  type DraftUpdate,
  type FollowDraftOptions,
} from '@parley/context';
import { openContextStore } from '../../src/exports/parley.js';
import { isInMemory } from '../support/database/database-kind.js';
import { failureOf } from './store-failure.js';
import { openStores, STORE_NAMES, STORES } from './stores.js';

const stores = openStores();
const aNumber = expect.any(Number) as number;

/** All updates of a draft from now on. */
async function updatesOf(store: ContextStore, options?: FollowDraftOptions): Promise<DraftUpdate[]> {
  const updates: DraftUpdate[] = [];
  for await (const update of store.followDraft('c', 'd', options)) updates.push(update);
  return updates;
}
const chunksOf = (updates: readonly DraftUpdate[]) =>
  updates.flatMap((update) => (update.type === 'chunks' ? update.chunks : []));

describe.each(STORE_NAMES)('the store %s', (storeName) => {
  let store: ContextStore;
  beforeEach(async () => {
    store = stores.get(storeName);
    await store.createChat({ id: 'c', userId: 'u' });
    await store.saveMessages('c', [{ id: 'q', name: 'user', content: { text: 'Porto or Lisbon?' } }]);
  });

  test('starts a draft, appends to it, and finishes it as a message', async () => {
    const draft = await store.startDraft('c', { id: 'd', metadata: { model: 'x' } });
    expect(draft).toStrictEqual({
      id: 'd',
      chatId: 'c',
      parentId: 'q',
      name: 'assistant',
      metadata: { model: 'x' },
      length: 0,
      state: 'WRITING',
      startedBy: 'local',
      startedAt: aNumber,
      updatedAt: aNumber,
    });
    expect(await store.listDrafts('c')).toStrictEqual([draft]);
    expect(await store.appendToDraft('c', 'd', 0, ['Por', { type: 'text-delta', id: '0', delta: 'to' }])).toStrictEqual(
      { length: 2, state: 'WRITING' },
    );
    expect(await store.appendToDraft('c', 'd', 1, [{ again: undefined }, '.'])).toStrictEqual({
      length: 3,
      state: 'WRITING',
    });
    const saved = await store.finishDraft('c', 'd');
    expect(saved).toMatchObject({
      branch: { name: 'main', headMessageId: 'd', messageCount: 2 },
      messages: [{ id: 'd', parentId: 'q', data: { parts: [{ text: 'Porto.' }], metadata: { model: 'x' } } }],
      branched: false,
    });
    expect(await store.finishDraft('c', 'd')).toEqual(saved);
    expect(await store.listDrafts('c')).toEqual([]);
  });

  test('saves the content given by the writer instead of the text', async () => {
    await store.startDraft('c', { id: 'd', name: 'tool', parentId: 'q', idleTimeout: 10, onConflict: 'APPEND' });
    const { messages } = await store.finishDraft('c', 'd', { data: { city: 'Porto' } });
    expect(messages).toMatchObject([{ id: 'd', name: 'tool', data: { city: 'Porto' } }]);
  });

  test('reports the number of chunks when some are missing', async () => {
    await store.startDraft('c', { id: 'd' });
    await store.appendToDraft('c', 'd', 0, ['a', 'b']);
    const error: unknown = await store.appendToDraft('c', 'd', 3, ['d']).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(DraftOffsetError);
    expect(error).toMatchObject({
      code: 'INVALID_INPUT',
      message: 'offset is 3, but the draft has 2 chunks',
      path: 'offset',
      length: 2,
    });
  });

  test('stops the writer with the next append', async () => {
    await store.startDraft('c', { id: 'd' });
    expect(await store.stopDraft('c', 'd')).toStrictEqual({ length: 0, state: 'STOPPING' });
    expect(await store.appendToDraft('c', 'd', 0, ['a'])).toStrictEqual({ length: 1, state: 'STOPPING' });
  });

  test('discards a draft, and returns whether it existed', async () => {
    await store.startDraft('c', { id: 'd' });
    expect(await store.discardDraft('c', 'd')).toBe(true);
    expect(await store.discardDraft('c', 'nothing')).toBe(false);
    expect(await store.listDrafts('c')).toEqual([]);
  });

  test('refuses invalid arguments by name', async () => {
    await store.startDraft('c', { id: 'd' });
    expect(await failureOf(store.startDraft('c', { role: 'x' } as never))).toMatchObject({ path: 'role' });
    expect(await failureOf(store.startDraft('c', { idleTimeout: 1 }))).toMatchObject({ path: 'idleTimeout' });
    expect(await failureOf(store.startDraft('c', { onConflict: 'NO' as never }))).toMatchObject({ path: 'onConflict' });
    expect(
      await failureOf(
        store.appendToDraft(
          'c',
          'd',
          0,
          Array.from({ length: 501 }, () => 'a'),
        ),
      ),
    ).toMatchObject({ path: 'chunks' });
    expect(await failureOf(store.appendToDraft('c', 'd', 0, [1n]))).toMatchObject({ path: 'chunks.0' });
    expect(await failureOf(store.appendToDraft('c', 'x', 0, ['a']))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await failureOf(store.listDrafts('nobody'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await failureOf(updatesOf(store, { from: 1 } as never))).toMatchObject({ path: 'from' });
    expect(await failureOf(updatesOf(store, { after: -1 }))).toMatchObject({ path: 'after' });
  });

  test('follows a draft from any position until it is a message', async () => {
    await store.startDraft('c', { id: 'd' });
    await store.appendToDraft('c', 'd', 0, ['a', 'b']);
    const received = [updatesOf(store), updatesOf(store, { after: 1 }), updatesOf(store, { withChunks: false })];
    await store.appendToDraft('c', 'd', 2, ['c', 'd']);
    await store.stopDraft('c', 'd');
    await store.finishDraft('c', 'd');
    const [all, behind, without] = (await Promise.all(received)) as [DraftUpdate[], DraftUpdate[], DraftUpdate[]];
    expect(chunksOf(all)).toEqual(['a', 'b', 'c', 'd']);
    expect(chunksOf(behind)).toEqual(['b', 'c', 'd']);
    expect(chunksOf(without)).toEqual([]);
    expect(without).toContainEqual({ type: 'stopping', requestedBy: 'local' });
    const end = { type: 'finished', message: await store.getMessage('d'), branch: await store.getActiveBranch('c') };
    for (const each of [all, behind, without]) expect(each.at(-1)).toStrictEqual(end);
    // Also of a finished draft.
    expect((await updatesOf(store)).at(-1)).toStrictEqual(end);
  });

  test('notifies followers of a draft when it is discarded', async () => {
    await store.startDraft('c', { id: 'd' });
    const received = updatesOf(store);
    await store.discardDraft('c', 'd');
    expect(await received).toEqual([{ type: 'discarded' }]);
    expect(await updatesOf(store)).toEqual([{ type: 'discarded' }]);
    const nothing = async () => {
      for await (const update of store.followDraft('c', 'x')) expect(update).toBeUndefined();
    };
    expect(await failureOf(nothing())).toMatchObject({ code: 'NOT_FOUND', message: 'Draft "x" not found in chat "c"' });
  });

  test('follows until its signal', async () => {
    await store.startDraft('c', { id: 'd' });
    await store.appendToDraft('c', 'd', 0, ['a']);
    const abort = new AbortController();
    const updates: DraftUpdate[] = [];
    for await (const update of store.followDraft('c', 'd', { signal: abort.signal })) {
      updates.push(update);
      abort.abort();
    }
    expect(updates).toHaveLength(1);
    expect(await updatesOf(store, { signal: abort.signal })).toEqual([]);
  });
});

test.each(STORE_NAMES)('a draft of another user does not exist: %s', async (name) => {
  const { store, server } = await STORES[name]();
  await store.createChat({ id: 'c', userId: 'u' });
  await store.startDraft('c', { id: 'd' });
  const other = server.contextStore({ userId: 'v', isAdmin: false });
  expect(await failureOf(updatesOf(other))).toMatchObject({ code: 'NOT_FOUND', message: 'Chat "c" not found' });
});

test.skipIf(isInMemory)('a database of one process notifies followers of a draft, without a server', async () => {
  const store = await openContextStore({ databaseUrl: stores.databaseUrl });
  await store.createChat({ id: 'c', userId: 'u' });
  await store.startDraft('c', { id: 'd' });
  const received = updatesOf(store);
  await store.appendToDraft('c', 'd', 0, ['a']);
  await store.finishDraft('c', 'd');
  expect(chunksOf(await received)).toEqual(['a']);
  await store.close();
});

test('a remote store continues after broken connections, without duplicates', async () => {
  let connections = 0;
  /** Interrupts streams after their first event, within the second if there is one. */
  const cutting: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (response.headers.get('content-type') !== 'text/event-stream') return response;
    connections++;
    let text = '';
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        text += new TextDecoder().decode(bytes);
        const isEnd = text.includes('DraftFinished');
        const end = text.indexOf('\n\n', text.indexOf('event: next')) + 2;
        if (!isEnd && text.includes('event: next') && end > 1) {
          controller.enqueue(new TextEncoder().encode(text.slice(0, end + 9)));
          controller.terminate();
        } else if (isEnd) {
          controller.enqueue(new TextEncoder().encode(text));
          text = '';
        }
      },
    });
    return new Response(response.body!.pipeThrough(cut), response);
  };
  const store = new RemoteStore({ url: stores.url, fetch: cutting });
  await store.createChat({ id: 'c', userId: 'u' });
  await store.startDraft('c', { id: 'd' });
  await store.appendToDraft('c', 'd', 0, ['a']);
  const updates: DraftUpdate[] = [];
  for await (const update of store.followDraft('c', 'd')) {
    updates.push(update);
    if (updates.length === 1) await store.appendToDraft('c', 'd', 1, ['b', 'c']);
    if (updates.length === 2) await store.appendToDraft('c', 'd', 3, ['d']);
    if (updates.length === 3) await store.finishDraft('c', 'd');
  }
  expect(chunksOf(updates)).toEqual(['a', 'b', 'c', 'd']);
  expect(updates.map(({ type }) => type)).toEqual(['chunks', 'chunks', 'chunks', 'finished']);
  expect(connections).toBeGreaterThan(2);
});
