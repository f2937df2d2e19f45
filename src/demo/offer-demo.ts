import { openDatabase, type OpenDatabase } from '../database/open.js';
import { DEMO_TIME, isDemoUnfinished, writeDemo } from './write-demo.js';

/**
 * Gives a database that was made just now the demo to begin with, or what it lacks of it; any other stays as it is.
 * @param url of the same database
 */
export async function offerDemo(url: string, { store, isNew }: Pick<OpenDatabase, 'store' | 'isNew'>): Promise<void> {
  if (isNew || (await isDemoUnfinished(store))) await writeDemoInto(url);
}

/**
 * Writes the demo for the local admin, dated by a clock of its own.
 * @returns false, having written nothing, when there is a chat of its id
 */
export async function writeDemoInto(url: string): Promise<boolean> {
  const { store } = await openDatabase({ url, clock: () => DEMO_TIME });
  try {
    return await writeDemo(store, { userId: 'local', isAdmin: true });
  } finally {
    await store.close();
  }
}
