/** The database of the known attacks: long chats of large messages, and their shares. */
import { createChat } from '../../../../src/conversation/chats.js';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { openDatabase } from '../../../../src/database/opening/open.js';
import { VIEWER, writeChain } from '../../../support/chats/large-chats.js';

/** The messages `large-0` and so on. */
const LARGE_MESSAGES = 110;
const LARGE_BYTES = 0.7 * 2 ** 20;

/** The messages of the chat `long`: two pages. */
const LONG_MESSAGES = 2_000;

const SENTENCE = 'A sentence in a long text of a person. ';

export async function writeLargeMessages(url: string): Promise<void> {
  const { store } = await openDatabase({ url, migrate: true });
  await createChat(store, VIEWER, { id: 'large' });
  const text = SENTENCE.repeat(LARGE_BYTES / SENTENCE.length);
  for (let n = 0; n < LARGE_MESSAGES; n++) {
    const name = n % 2 === 0 ? 'user' : 'assistant';
    const data = { role: name, parts: [{ type: 'text', text }] };
    await saveMessages(store, VIEWER, {
      chatId: 'large',
      messages: [{ id: `large-${n}`, name, type: 'message', content: { data } }],
    });
  }
  await writeChain(store, 'long', LONG_MESSAGES);
  await createChat(store, VIEWER, { id: 'followed' });
  await store.close();
}
