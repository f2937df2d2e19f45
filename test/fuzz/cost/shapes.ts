/** The database of the trials: chats with expensive shapes, all of the hostile user. */
import { createChat } from '../../../src/conversation/chats.js';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import '../../../src/features/all-forms.js';
import { LARGE_DATA, type LargeShape } from './large-data.js';
import type { SharedEnd } from './shares.js';
import { VIEWER, writeBranches, writeChain, writeChildren } from '../../support/chats/large-chats.js';

/** The user that sends the operations. */
export const HOSTILE = VIEWER.userId;

/** Users whose delay is measured: each has a chat of the same name. */
export const VICTIMS = ['anna', 'berta', 'clara'] as const;

/** The messages of each chat are `${chat}-0` and so on. */
export const SHAPES = {
  ...{ long: 10_000, branchy: 100, wide: 3_000, big: 24, dense: 24 },
  ...{ text: 40, parts: 40, nested: 40 },
} as const;

/** The shares of operations. */
export const SHARED_ENDS: ReadonlyMap<string, SharedEnd> = new Map(
  (['long', 'wide', 'dense', 'text', 'parts', 'nested'] as const).flatMap((chatId) =>
    [12, 1_000].map((most) => {
      const count = Math.min(most, SHAPES[chatId]);
      return [`share-${chatId}-${count}`, { chatId, messageId: `${chatId}-${count - 1}` }] as const;
    }),
  ),
);

/** Branches of `branchy` in addition to main: `b0` and so on. */
export const BRANCHES = 2_500;

/** Checkpoints of `long`: `c0` and so on. */
export const CHECKPOINTS = 1_000;

/** Chats with metadata: `meta-0` and so on. */
export const META_CHATS = 1_000;

const BIG_BYTES = 900_000;
const VICTIM_MESSAGES = 40;

/** Writes all shapes into a new database. */
export async function writeShapes(url: string): Promise<void> {
  const { store } = await openDatabase({ url, migrate: true });
  await writeChain(store, 'long', SHAPES.long);
  await writeBranches(store, 'branchy', BRANCHES, SHAPES.branchy);
  await writeChildren(store, 'wide', SHAPES.wide);
  for (let n = 0; n < CHECKPOINTS; n++) {
    await createCheckpoint(store, VIEWER, { chatId: 'long', name: `c${n}`, messageId: `long-${n}` });
  }
  const shapes = { ...LARGE_DATA, big: () => 'words of a long text '.repeat(BIG_BYTES / 21), dense: denseData };
  for (const [chatId, make] of Object.entries(shapes) as [LargeShape | 'big' | 'dense', () => unknown][]) {
    await createChat(store, VIEWER, { id: chatId });
    for (let n = 0; n < SHAPES[chatId]; n++) {
      const data = make();
      await saveMessages(store, VIEWER, {
        chatId,
        messages: [
          { id: `${chatId}-${n}`, name: n % 2 === 0 ? 'user' : 'assistant', type: 'message', content: { data } },
        ],
      });
    }
  }
  for (let n = 0; n < META_CHATS; n++) {
    const note = 'm'.repeat(n % 20 === 0 ? 60_000 : 2_000);
    await createChat(store, VIEWER, { id: `meta-${n}`, title: `${n}`, metadata: { n, note } });
  }
  for (const userId of VICTIMS) {
    const viewer = { userId, isAdmin: false };
    await createChat(store, viewer, { id: userId });
    const messages = Array.from({ length: VICTIM_MESSAGES }, (_, n) => ({
      id: `${userId}-${n}`,
      name: 'user',
      type: 'message',
      content: { data: 'A sentence, as people write them.' },
    }));
    await saveMessages(store, viewer, { chatId: userId, messages });
  }
  await store.close();
}

/** JSON of many small values: two characters each, which use many bytes of memory. */
function denseData(): unknown[] {
  return Array.from({ length: BIG_BYTES / 3 }, () => ({}));
}
