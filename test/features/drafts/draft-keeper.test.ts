/** Abandoned and ended drafts are finished and removed, by any server. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { appendToDraft, discardDraft } from '../../../src/features/drafts/change-draft.js';
import { MAX_DRAFT_BYTES } from '../../../src/features/drafts/draft.js';
import { finishDraft, draftKeeper } from '../../../src/features/drafts/finish-draft.js';
import { startDraft, type StartDraftRequest } from '../../../src/features/drafts/start-draft.js';
import { switchBranch } from '../../../src/conversation/branches/rewind.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { Connection } from '../../../src/database/connection/connection.js';
import { connect } from '../../../src/database/opening/open.js';
import { createDraftReads, type DraftReads } from '../../../src/features/drafts/draft-reads.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { removeDraft } from '../../../src/features/drafts/draft-store.js';
import type { Periodic } from '../../../src/scheduler/periodic.js';
import { isDistributed } from '../../support/database/database-kind.js';
import { databaseForAll } from '../../support/database/database-scope.js';

const VIEWER = { userId: 'u', isAdmin: false };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The view of one server. */
interface Place {
  store: DatabaseStore;
  drafts: DraftReads;
  keeper: Periodic;
  /** The ids of drafts in its notifications. */
  notified: string[];
}

const database = databaseForAll();
let second: Connection;
let one: Place;
let other: Place;
let now: number;
let errors: unknown[];

beforeAll(async () => {
  second = (await connect(database.url, { migrate: false })).connection;
});
afterAll(async () => {
  await second.close();
});
beforeEach(async () => {
  now = 1_700_000_000_000;
  errors = [];
  [one, other] = [placeOf(database.connection), placeOf(second)];
  await createChat(one.store, VIEWER, { id: 'c' });
  await saveMessages(one.store, VIEWER, { chatId: 'c', messages: [userMessage('a')] });
});
afterEach(async () => {
  await Promise.all([one.keeper.close(), other.keeper.close()]);
  for (const { id } of (await database.allRows()).chats) await one.store.remove(id, VIEWER.userId);
  expect(errors).toEqual([]);
});

function placeOf(connection: Connection): Place {
  const notified: string[] = [];
  const store = new DatabaseStore(connection, { clock: () => now, onPart: ({ partId }) => notified.push(partId) });
  const drafts = createDraftReads(connection);
  const keeper = draftKeeper({
    store,
    connection,
    expireMs: DAY,
    // Sweeps run only on demand.
    intervalMs: DAY,
    onError: (error) => errors.push(error),
  });
  return { store, drafts, keeper, notified };
}

const userMessage = (id: string) => ({ id, name: 'user', content: { text: id } });
const start = (request: Partial<StartDraftRequest> = {}) =>
  startDraft(one.store, VIEWER, { chatId: 'c', id: 'd', ...request });
const append = (offset: number, chunks: unknown[], id = 'd') =>
  appendToDraft(one.store, VIEWER, { chatId: 'c', id, offset, chunks });
const look = () => Promise.all([one.keeper.run(), other.keeper.run()]);
const messages = async () => (await database.allRows()).messages.map(({ id, parentId }) => ({ id, parentId }));
const status = async () => (await one.drafts.draftStandings(['c']))[0];
const dataOf = async (id: string) => {
  const { data } = (await database.allRows()).messages.find((message) => message.id === id)!;
  return JSON.parse(data) as { metadata?: unknown; parts: { text: string }[] };
};

describe('a draft without an append for a day', () => {
  test('is finished with its content so far, once, as incomplete', async () => {
    await start({ metadata: { model: 'x' } });
    await append(0, ['as far ', 'as it ']);
    now += DAY;
    await look();
    expect((await status())?.[0]).toMatchObject({ id: 'd', endedAt: null });
    now += 1;
    await look();
    expect(await messages()).toEqual([
      { id: 'a', parentId: null },
      { id: 'd', parentId: 'a' },
    ]);
    expect(await dataOf('d')).toMatchObject({
      metadata: { model: 'x', status: 'incomplete' },
      parts: [{ type: 'text', text: 'as far as it ' }],
    });
    expect(await status()).toMatchObject([{ id: 'd', endedAt: now, messageId: 'd' }]);
    // One notification for the start, one for the append, and one of them for the finish.
    expect([...one.notified, ...other.notified]).toHaveLength(3);
    const version = (await database.allRows()).events.length;
    await look();
    expect((await database.allRows()).events).toHaveLength(version);
  });

  test.each([[[]], [[{ type: 'start' }, '']]])('is discarded when its chunks %j have no content', async (chunks) => {
    await start();
    await append(0, chunks);
    now += DAY + 1;
    await look();
    expect(await status()).toMatchObject([{ id: 'd', endedAt: now, messageId: null }]);
    expect(await messages()).toHaveLength(1);
  });

  test('stays after an append without chunks, which does not notify followers', async () => {
    await start();
    for (let n = 0; n < 3; n++) {
      now += 20_000;
      expect(await append(0, [])).toMatchObject({ length: 0, updatedAt: now });
    }
    expect(one.notified).toHaveLength(1);
    now += DAY;
    await look();
    expect(await status()).toMatchObject([{ id: 'd', endedAt: null }]);
    await append(0, []);
    expect(one.notified).toHaveLength(2);
  });

  test('is saved on its own branch, and the active branch stays active', async () => {
    await saveMessages(one.store, VIEWER, { chatId: 'c', messages: [userMessage('b')] });
    await start({ parentId: 'a' });
    await append(0, ['x']);
    await switchBranch(one.store, VIEWER, { chatId: 'c', name: 'main' });
    now += DAY + 1;
    await look();
    expect((await database.allRows()).branches).toMatchObject([
      { name: 'main', headMessageId: 'b', isActive: true },
      { name: 'main-v2', headMessageId: 'd', isActive: false },
    ]);
    expect((await dataOf('d')).metadata).toEqual({ status: 'incomplete' });
  });

  test.each(['REJECT', 'FORK', 'APPEND'] as const)(
    'is saved next to newer messages, for any conflict rule: %s',
    async (onConflict) => {
      await start({ onConflict });
      await append(0, ['x']);
      await saveMessages(one.store, VIEWER, { chatId: 'c', messages: [userMessage('b')] });
      now += DAY + 1;
      await look();
      const parentId = onConflict === 'APPEND' ? 'b' : 'a';
      expect((await messages()).at(-1)).toEqual({ id: 'd', parentId });
      expect((await database.allRows()).branches).toHaveLength(onConflict === 'APPEND' ? 1 : 2);
    },
  );

  test('is cut to the maximum size of a message', async () => {
    await start();
    const chunk = '"'.repeat(100_000);
    for (let n = 0; n < 12; n++) await append(n, [chunk]);
    now += DAY + 1;
    await look();
    const { parts, metadata } = await dataOf('d');
    // An escaped quote takes two bytes of the 1 MiB; the string itself has two more.
    expect(parts[0]!.text).toHaveLength((1024 * 1024 - 2) / 2);
    expect(metadata).toEqual({ status: 'incomplete' });
  });

  // In the distributed form, the directory reserves the id for the chat of the draft.
  test.skipIf(isDistributed)('gets another id if its id is in use', async () => {
    await start();
    await append(0, ['x']);
    await createChat(one.store, VIEWER, { id: 'elsewhere' });
    await saveMessages(one.store, VIEWER, { chatId: 'elsewhere', messages: [userMessage('d')] });
    now += DAY + 1;
    await look();
    const [ended] = (await status())!;
    expect(ended).toMatchObject({ id: 'd', endedAt: now });
    expect((await dataOf(ended!.messageId!)).parts[0]!.text).toBe('x');
  });

  test('is one of many that one sweep ends', async () => {
    const chats = Array.from({ length: 15 }, (_, n) => `chat-${n}`);
    for (const chatId of chats) {
      await createChat(one.store, VIEWER, { id: chatId });
      for (let n = 0; n < 8; n++) await startDraft(one.store, VIEWER, { chatId });
    }
    now += DAY + 1;
    await one.keeper.run();
    expect(await one.drafts.idleDrafts(now)).toEqual([]);
    now += 11 * MINUTE;
    await one.keeper.run();
    expect((await one.drafts.draftStandings(chats)).flat()).toEqual([]);
  });
});

describe('an ended draft', () => {
  test('is removed after ten minutes, in steps', async () => {
    await start();
    const piece = (n: number) => ({ startOffset: n, endOffset: n + 1, chunks: '["x"]' });
    const { sql, write } = database.connection;
    await write('test', async (tx) => {
      for (let n = 0; n < 2_500; n++)
        tx.runLast(sql.insertRows('draft_chunks', [{ draftId: 'd', ...piece(n), chatId: 'c' }]));
      return Promise.resolve();
    });
    await finishDraft(one.store, VIEWER, { chatId: 'c', id: 'd', content: { text: 'whole' } });
    const [draft] = (await status())!;
    now += 10 * MINUTE;
    await look();
    expect(await one.drafts.draftPieces(draft!, 0, 10_000, MAX_DRAFT_BYTES)).toHaveLength(2_500);
    now += 1;
    await look();
    expect(await status()).toEqual([]);
    expect(await database.connection.read((db) => db.rows(sql.nthPart('drafts', { chatId: 'c', id: 'd' }, 1)))).toEqual(
      [{ position: null }],
    );
    expect(await messages()).toHaveLength(2);
  });

  test('is removed, but not a new draft with its id', async () => {
    await start();
    await append(0, ['old']);
    await discardDraft(one.store, VIEWER, { chatId: 'c', id: 'd' });
    now += 11 * MINUTE;
    const [discarded] = await one.drafts.endedDrafts(now);
    await start();
    await append(0, ['new']);
    await removeDraft(second, discarded!);
    const [draft] = (await status())!;
    expect(draft).toMatchObject({ id: 'd', endedAt: null, length: 1 });
    expect(await one.drafts.draftPieces(draft!, 0, 9, 1)).toMatchObject([{ chunks: '["new"]' }]);
    expect(await one.drafts.draftPieces(discarded!, 0, 9, 1)).toEqual([]);
  });
});
