/** Writes chats of a hostile user directly into the database, which is faster than through a server. */
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { openDatabase } from '../../../../src/database/opening/open.js';
import '../../../../src/features/all-forms.js';
import { createChat } from '../../../../src/conversation/chats.js';
import { LARGE_DATA } from '../../../fuzz/cost/large-data.js';
import { VIEWER, writeBranches, writeChain } from '../../../support/chats/large-chats.js';

/** The owner of the chats. */
export const OWNER = VIEWER.userId;

/** Messages of the chat `long`, branches of `branchy`, and the saves of `wordy` with their messages and words. */
const LONG_CHAT_MESSAGES = 10_000;
const BRANCHES = 2_000;
const WORDY = { saves: 5, messages: 50, words: 6_000 };

/** The messages of `parts`: within the MAX_CONTENT_BYTES of a heap of 512 MiB. */
export const LARGE_MESSAGES = 20;

export async function writeHostileChats(url: string): Promise<void> {
  const { store } = await openDatabase({ url, migrate: true });
  await writeChain(store, 'long', LONG_CHAT_MESSAGES);
  await writeBranches(store, 'branchy', BRANCHES, 100);
  await createChat(store, VIEWER, { id: 'wordy' });
  for (let n = 0; n < WORDY.saves; n++) {
    const messages = Array.from({ length: WORDY.messages }, () => ({
      name: 'user',
      type: 'message',
      content: { data: text(WORDY.words) },
    }));
    await saveMessages(store, VIEWER, { chatId: 'wordy', messages });
  }
  await createChat(store, VIEWER, { id: 'parts' });
  for (let n = 0; n < LARGE_MESSAGES; n++) {
    const message = { name: 'assistant', type: 'message', content: { data: LARGE_DATA.parts() } };
    await saveMessages(store, VIEWER, { chatId: 'parts', messages: [message] });
  }
  await createChat(store, VIEWER, { id: 'followed' });
  await store.close();
}

/** Different words: `word7919` and so on. */
export function text(words: number): string {
  return Array.from({ length: words }, (_, n) => `word${(n * 7_919) % 100_003}`).join(' ');
}
