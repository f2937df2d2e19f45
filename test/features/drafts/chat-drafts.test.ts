/** Reads of a chat's drafts: any-drafts.test.ts tests two servers and any follower. */
import { expect, it } from 'vitest';
import type { DraftStanding } from '../../../src/features/drafts/draft.js';
import { ChatDrafts } from '../../../src/features/drafts/live/chat-drafts.js';

const DRAFT: DraftStanding = {
  ...{ id: 'd', chatId: 'c', branchId: 'b', parentId: null, onConflict: 'REJECT', name: 'assistant', idleTimeout: 60 },
  ...{ startedBy: 'u', startedAt: 0, updatedAt: 0, length: 1, bytes: 3, stoppedBy: null, endedAt: null },
  ...{ messageId: null, activation: null, requestedBranchId: null, requestedHeadId: null },
};

/** Counts the reads, which return one draft. */
function countedDrafts() {
  const reads = { count: 0 };
  const drafts = new ChatDrafts({
    chatId: 'c',
    standing: async () => {
      reads.count++;
      return [DRAFT];
    },
    pieces: async () => [],
    onError: (error) => expect.unreachable(String(error)),
    now: () => 0,
  });
  return { drafts, reads };
}

it('every request for a read gets a read that starts after the request', async () => {
  for (let microtasks = 0; microtasks < 20; microtasks++) {
    const { drafts, reads } = countedDrafts();
    const first = drafts.refresh();
    for (let n = 0; n < microtasks; n++) await Promise.resolve();
    const before = reads.count;
    await drafts.refresh();
    expect(reads.count, `after ${microtasks} microtasks`).toBe(before + 1);
    await first;
  }
});

it('a change is read, except a new length of a known draft', async () => {
  const { drafts, reads } = countedDrafts();
  await drafts.refresh();
  drafts.feed('d');
  const piece = { startOffset: 1, endOffset: 2, chunks: '["x"]' };
  const readsOf = (...wake: Parameters<typeof drafts.wake>) => {
    const before = reads.count;
    drafts.wake(...wake);
    return reads.count - before;
  };
  expect(readsOf('d', 2)).toBe(0);
  expect(readsOf('d', 2, { draft: DRAFT, piece })).toBe(0);
  const wakes: Parameters<typeof drafts.wake>[] = [
    ['d', null],
    ['another', 2],
    ['d', 2, { draft: { ...DRAFT, startedAt: 1 }, piece }],
  ];
  for (const wake of wakes) {
    expect(readsOf(...wake)).toBe(1);
    await drafts.refresh();
  }
});
