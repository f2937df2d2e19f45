/** The rows that all of them have, written by Parley. */
import { openDatabase } from '../../../src/database/opening/open.js';
import { createChat } from '../../../src/conversation/chats.js';
import { VIEWER, writeBranches, writeChain } from '../measuring/fixture.js';
import type { Size } from './tasks.js';

/** A chat to save in, and the chats that are read. @param url of a database that is not made yet */
export async function writeRows(url: string, size: Size): Promise<void> {
  const { store } = await openDatabase({ url, migrate: true });
  for (const id of ['saved', 'posted']) await createChat(store, VIEWER, { id });
  await writeChain(store, 'chain1000', 1_000);
  if (size === 'large') {
    await writeChain(store, 'chain10000', 10_000);
    await writeBranches(store, 'branchy', 100, 100);
  }
  await store.close();
}
