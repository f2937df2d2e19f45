/** The rows of all subjects, written by Parley. */
import { openDatabase } from '../../../src/database/opening/open.js';
import { createChat } from '../../../src/conversation/chats.js';
import { VIEWER, writeBranches, writeChain } from '../measuring/fixture.js';
import type { Size } from './tasks.js';

/** A chat for saves, and chats for reads. @param url of a missing database, which is created */
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
