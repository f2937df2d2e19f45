/** The database of the known attacks: a chat of large messages of each shape, and chats of small ones. */
import { createChat } from '../../../../src/conversation/chats.js';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { openDatabase } from '../../../../src/database/opening/open.js';
import '../../../../src/features/all-forms.js';
import { VIEWER, writeChain } from '../../../support/chats/large-chats.js';
import { LARGE_DATA, type LargeShape } from '../large-data.js';

/** The messages of each chat: `parts-0` and so on. */
const COUNTS = { text: 60, parts: 110 } as const satisfies Partial<Record<LargeShape, number>>;

/** The messages of the chat `long`: two pages. */
const LONG_MESSAGES = 2_000;

export async function writeLargeMessages(url: string): Promise<void> {
  const { store } = await openDatabase({ url, migrate: true });
  for (const chatId of ['text', 'parts'] as const) {
    await createChat(store, VIEWER, { id: chatId });
    const data = LARGE_DATA[chatId]();
    for (let n = 0; n < COUNTS[chatId]; n++) {
      const message = { id: `${chatId}-${n}`, name: 'user', type: 'message', content: { data } };
      await saveMessages(store, VIEWER, { chatId, messages: [message] });
    }
  }
  await writeChain(store, 'long', LONG_MESSAGES);
  await createChat(store, VIEWER, { id: 'followed' });
  await store.close();
}
