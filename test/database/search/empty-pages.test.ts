import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import type { ConversationReads } from '../../../src/conversation/reads.js';
import { VIEWER, writeChain } from '../../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';

let database: TemporaryDatabase;
let reads: ConversationReads;
beforeAll(async () => {
  database = await temporaryDatabase();
  ({ reads } = database);
  await writeChain(database.store, 'c', 3);
  await createCheckpoint(database.store, VIEWER, { chatId: 'c', name: 'x' });
});
afterAll(() => database.remove());

const ALL = { first: null, last: null, after: null, before: null };

describe('an empty page of a list that is not', () => {
  const atStart = { rows: [], hasPreviousPage: false, hasNextPage: true };
  const atEnd = { rows: [], hasPreviousPage: true, hasNextPage: false };

  it('of a path lies before its root', async () => {
    const head = { chatId: 'c', headMessageId: 'c-2', messageCount: 3 };
    expect(await reads.pathPages([head], { ...ALL, first: 0 })).toEqual([{ ...atStart, totalCount: 3 }]);
    expect(await reads.pathPages([head], { ...ALL, last: 2, before: 0 })).toEqual([{ ...atStart, totalCount: 3 }]);
  });

  it('of a path is after its head', async () => {
    const head = { chatId: 'c', headMessageId: 'c-2', messageCount: 3 };
    expect(await reads.pathPages([head], { ...ALL, last: 0 })).toEqual([{ ...atEnd, totalCount: 3 }]);
    expect(await reads.pathPages([head], { ...ALL, first: 2, after: 2 })).toEqual([{ ...atEnd, totalCount: 3 }]);
    expect(await reads.pathPages([head], { ...ALL, first: 2, after: 999_999_999_999_999 })).toEqual([
      { ...atEnd, totalCount: 3 },
    ]);
  });

  it('before the first event of a log continues with the whole log', async () => {
    const [slice] = await reads.eventPages(['c'], { ...ALL, first: 2, after: 0 });
    expect(slice?.rows.map((event) => event.seq)).toEqual([1, 2]);
  });

  it('of the other lists lies at either end', async () => {
    const children = (page: object) => reads.childPages([{ chatId: 'c', parentId: 'c-0' }], { ...ALL, ...page });
    const branches = (page: object) => reads.branchPages(['c'], { ...ALL, ...page });
    const checkpoints = (page: object) => reads.checkpointPages(['c'], { ...ALL, ...page });
    const events = (page: object) => reads.eventPages(['c'], { ...ALL, ...page });
    for (const list of [children, branches, checkpoints, events]) {
      expect(await list({ first: 0 })).toMatchObject([atStart]);
      expect(await list({ last: 0 })).toMatchObject([atEnd]);
    }
    for (const list of [children, branches, events]) {
      expect(await list({ first: 1, after: 999_999_999_999_999 })).toMatchObject([atEnd]);
      expect(await list({ last: 1, before: 0 })).toMatchObject([atStart]);
    }
    // Newest first: a greater seq precedes a smaller one.
    expect(await checkpoints({ first: 1, after: 0 })).toMatchObject([atEnd]);
    expect(await checkpoints({ last: 1, before: 999_999_999_999_999 })).toMatchObject([atStart]);
  });

  it('is also the result for a chat without such rows', async () => {
    const nothing = { rows: [], totalCount: 0, hasPreviousPage: false, hasNextPage: false };
    const empty = { chatId: 'c', headMessageId: null, messageCount: 0 };
    expect(await reads.pathPages([empty], { ...ALL, first: 5 })).toEqual([nothing]);
    expect(await reads.branchPages(['nowhere'], { ...ALL, first: 5 })).toEqual([nothing]);
    expect(await reads.eventPages(['nowhere'], { ...ALL, last: 5 })).toEqual([nothing]);
    expect(await reads.childPages([{ chatId: 'c', parentId: 'c-2' }], { ...ALL, last: 5 })).toEqual([nothing]);
  });
});
