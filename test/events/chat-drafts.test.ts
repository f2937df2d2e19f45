/** Reads of a chat's drafts: any-drafts.test.ts tests two servers and any follower. */
import { expect, it } from 'vitest';
import { ChatDrafts } from '../../src/events/drafts/chat-drafts.js';

it('every request for a read gets a read that starts after the request', async () => {
  for (let microtasks = 0; microtasks < 20; microtasks++) {
    let looks = 0;
    const drafts = new ChatDrafts({
      chatId: 'c',
      standing: async () => {
        looks++;
        return [];
      },
      pieces: async () => [],
      onError: (error) => expect.unreachable(String(error)),
      now: () => 0,
    });
    const first = drafts.refresh();
    for (let n = 0; n < microtasks; n++) await Promise.resolve();
    const before = looks;
    await drafts.refresh();
    expect(looks, `after ${microtasks} microtasks`).toBe(before + 1);
    await first;
  }
});
