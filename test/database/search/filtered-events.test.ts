/** Filters of events read long logs in steps, and several short logs per statement. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createChat, updateChat } from '../../../src/conversation/chats.js';
import type { EventFilter } from '../../../src/conversation/reads.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

/** More events than two pieces have. */
const EVENTS = 5_800;
const CHATS = 30;

let database: TemporaryDatabase;
const statements: string[] = [];
beforeAll(async () => {
  database = await temporaryDatabase((sql) => void statements.push(sql));
  const store = new DatabaseStore(database.connection);
  const viewer = { userId: 'u', isAdmin: true };
  for (let n = 0; n < CHATS; n++) {
    await createChat(store, viewer, { id: `chat ${n}` });
    await updateChat(store, viewer, { id: `chat ${n}`, title: 'changed' });
  }
  await createChat(store, viewer, { id: 'long' });
  const events = Array.from({ length: EVENTS - 3 }, (_, n) => ({
    chatId: 'long',
    seq: n + 4,
    type: 'ChatUpdated' as const,
    actorId: (n + 4) % 1_000 === 0 ? 'rare' : 'u',
    payload: '{}',
    createdAt: 0,
  }));
  const { sql, write } = database.connection;
  await write('long', async (tx) => {
    for (let n = 0; n < events.length; n += 500) await tx.run(sql.insert('chat_events', events.slice(n, n + 500)));
  });
  const [chat] = await database.reads.chats(['long']);
  await write('long', (tx) => tx.run(sql.updateChat({ ...chat!.chat, version: EVENTS })));
});
afterAll(() => database.remove());
beforeEach(() => void (statements.length = 0));

const ALL = { first: null, last: null, after: null, before: null };
const by = (actorId: string): EventFilter => ({ types: null, actorId, createdAfter: null, createdBefore: null });
const long = { chatId: 'long', branchId: null };
const looks = () => statements.filter((sql) => sql.includes('FROM chat_events s')).length;

it('a long log without matching events is read completely, in three pieces', async () => {
  const [page] = await database.reads.filteredEventPages([long], { page: { ...ALL, first: 5 }, filter: by('nobody') });
  expect(page).toMatchObject({ rows: [], hasNextPage: false, hasPreviousPage: false });
  expect(looks()).toBe(3);
});

it('a long log is read only as far as a page requires', async () => {
  const ask = async (page: object) => {
    statements.length = 0;
    const asked = { page: { ...ALL, ...page }, filter: by('rare') };
    const [found] = await database.reads.filteredEventPages([long], asked);
    return {
      seqs: found!.rows.map(({ seq }) => seq),
      looks: looks(),
      next: found!.hasNextPage,
      previous: found!.hasPreviousPage,
    };
  };
  expect(await ask({ first: 2 })).toEqual({ seqs: [1000, 2000], looks: 2, next: true, previous: false });
  expect(await ask({ last: 1 })).toEqual({ seqs: [5000], looks: 2, next: false, previous: true });
  expect(await ask({ first: 9 })).toEqual({
    seqs: [1000, 2000, 3000, 4000, 5000],
    looks: 3,
    next: false,
    previous: false,
  });
  // Events before a cursor are skipped immediately.
  expect(await ask({ first: 1, after: 1000 })).toEqual({ seqs: [2000], looks: 3, next: true, previous: true });
  expect(await ask({ first: 0 })).toEqual({ seqs: [], looks: 2, next: true, previous: false });
});

it('several short logs are read per statement', async () => {
  const keys = Array.from({ length: CHATS }, (_, n) => ({ chatId: `chat ${n}`, branchId: null }));
  const filter: EventFilter = { types: ['ChatUpdated'], actorId: 'u', createdAfter: null, createdBefore: null };
  const pages = await database.reads.filteredEventPages([...keys, long], { page: { ...ALL, first: 1 }, filter });
  expect(pages.slice(0, CHATS).every(({ rows }) => rows.length === 1 && rows[0]!.type === 'ChatUpdated')).toBe(true);
  expect(pages.at(-1)).toMatchObject({ rows: [{ chatId: 'long', seq: 4 }], hasNextPage: true });
  expect(looks()).toBe(1);
});
