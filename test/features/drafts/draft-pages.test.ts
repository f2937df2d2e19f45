/** The pages of a draft: bounded by bytes, read once for all followers, and dropped beyond a bound. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { appendToDraft } from '../../../src/features/drafts/change-draft.js';
import type { DraftPiece } from '../../../src/features/drafts/draft.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { createDraftReads, type DraftReads } from '../../../src/features/drafts/draft-reads.js';
import { DraftFeeds } from '../../../src/features/drafts/live/draft-feeds.js';
import { DraftPages, PAGE_BYTES, PageCache, pageCacheBytes } from '../../../src/features/drafts/live/draft-pages.js';
import { DraftStream } from '../../../src/features/drafts/live/draft-stream.js';
import { databaseForAll } from '../../support/database/database-scope.js';

const VIEWER = { userId: 'u', isAdmin: false };
const KIB = 1024;

/** Long appends, appends of many short chunks, and a chunk that is longer than a page. */
const APPENDS: readonly (readonly string[])[] = [
  ...Array.from({ length: 3 }, (_, n) => words(100, 2 * KIB, `long ${n}`)),
  ...Array.from({ length: 300 }, (_, n) => words(20, 40, `short ${n}`)),
  words(1, 200 * KIB, 'one'),
];
const CHUNKS = APPENDS.flat();
const BYTES = JSON.stringify(CHUNKS).length;

function words(count: number, length: number, of: string): string[] {
  return Array.from({ length: count }, (_, n) => `${of}, ${n} `.padEnd(length, 'x'));
}

const database = databaseForAll();
/** The pieces of each read. */
let pages: DraftPiece[][];
let feeds: DraftFeeds;

beforeAll(async () => {
  await createChat(database.store, VIEWER, { id: 'c' });
  await startDraft(database.store, VIEWER, { chatId: 'c', id: 'd' });
  let offset = 0;
  for (const chunks of APPENDS) {
    await appendToDraft(database.store, VIEWER, { chatId: 'c', id: 'd', offset, chunks });
    offset += chunks.length;
  }
});
beforeEach(() => {
  pages = [];
  const stored = createDraftReads(database.connection);
  const draftPieces: DraftReads['draftPieces'] = async (...wanted) => {
    const pieces = await stored.draftPieces(...wanted);
    pages.push(pieces);
    return pieces;
  };
  const onError = (error: unknown) => expect.unreachable(String(error));
  feeds = new DraftFeeds({ reads: { ...stored, draftPieces }, sweepIntervalMs: 3_600_000, onError, now: Date.now });
  return () => feeds.close();
});

/** Follows the draft from an offset to its end. */
async function follow(after: number): Promise<{ chunks: unknown[]; longest: number }> {
  const { drafts, leave } = await feeds.join('c');
  const feed = drafts.feed('d')!;
  feed.followers++;
  const following = { startAt: null, position: after, isOver: false };
  const stream = new DraftStream(feed, following, leave);
  const chunks: unknown[] = [];
  let longest = 0;
  for (let length = after; length < CHUNKS.length;) {
    const { value } = await stream.next();
    if (value?.kind !== 'chunks') throw new Error(`received ${value?.kind}`);
    expect(value.offset).toBe(length);
    const followed = (await value.chunks())!;
    chunks.push(...followed);
    if (followed.length > 1) longest = Math.max(longest, JSON.stringify(followed).length);
    length = value.length;
  }
  await stream.return();
  feed.followers--;
  return { chunks, longest };
}

describe('100 followers of one draft', () => {
  test('read each page once, from any offset', async () => {
    const offsets = Array.from({ length: 100 }, (_, n) => n * 61);
    const followed = await Promise.all(offsets.map(follow));
    for (const [n, { chunks }] of followed.entries()) expect(chunks).toEqual(CHUNKS.slice(offsets[n]));
    const bytes = pages.flat().reduce((sum, { chunks }) => sum + chunks.length, 0);
    // Pages that start at different offsets overlap once.
    expect(bytes / BYTES).toBeLessThan(2.5);
    expect(pages.length).toBeLessThan(100);
  });

  test('are sent in pages, and a read holds at most a page and an append', async () => {
    const { longest } = await follow(0);
    expect(longest).toBeLessThanOrEqual(PAGE_BYTES);
    for (const pieces of pages) {
      expect(pieces.slice(0, -1).reduce((sum, { chunks }) => sum + chunks.length, 0)).toBeLessThan(PAGE_BYTES);
    }
  });
});

describe('the cache of pages', () => {
  const pieces = Array.from({ length: 40 }, (_, n) => ({
    startOffset: n,
    endOffset: n + 1,
    chunks: JSON.stringify([`${n}`.padEnd(50 * KIB, 'x')]),
  }));
  const readPieces = async (after: number) => pieces.slice(after, after + 1);

  test('has a byte limit for all drafts, and reads evicted pages again', async () => {
    expect([1, 3].map((gib) => pageCacheBytes(gib * KIB ** 3))).toEqual([32 * KIB ** 2, 64 * KIB ** 2]);
    const cache = new PageCache(500 * KIB);
    const drafts = Array.from({ length: 5 }, () => new DraftPages(readPieces, cache));
    for (let n = 0; n < pieces.length; n++) {
      for (const draft of drafts) {
        const page = await draft.at(n);
        expect(JSON.stringify(page?.chunks)).toBe(pieces[n]?.chunks);
        expect(cache.heapBytes).toBeLessThanOrEqual(500 * KIB);
      }
    }
    expect(await drafts[0]?.at(0)).toMatchObject({ offset: 0, length: 1 });
    for (const draft of drafts) draft.clear();
    expect(cache.heapBytes).toBe(0);
  });

  test('counts parsed chunks by their memory', async () => {
    const cache = new PageCache(8 * 1024 * KIB);
    const json = `[[${'{},'.repeat(20_000)}{}]]`;
    const draft = new DraftPages(async () => [{ startOffset: 0, endOffset: 1, chunks: json }], cache);
    await draft.at(0);
    expect(cache.heapBytes).toBeGreaterThan(20 * json.length);
  });

  test('joins single appends, up to a page', async () => {
    const draft = new DraftPages(() => Promise.reject(new Error('unexpected read')), new PageCache(1024 * KIB));
    for (let n = 0; n < 1_000; n++) {
      draft.append({ startOffset: n, endOffset: n + 1, chunks: `["${'x'.repeat(200)}"]` });
    }
    const ends: number[] = [];
    for (let n = 0; n < 1_000; n = ends.at(-1)!) ends.push((await draft.at(n))!.length);
    expect(ends).toHaveLength(4);
  });

  test('fails one read only', async () => {
    let isAway = true;
    const draft = new DraftPages(
      async (after) => {
        if (isAway) throw new Error('unavailable');
        return readPieces(after);
      },
      new PageCache(500 * KIB),
    );
    await expect(Promise.all([draft.at(0), draft.at(1)])).rejects.toThrow('unavailable');
    isAway = false;
    expect(await draft.at(1)).toMatchObject({ offset: 1 });
  });
});
