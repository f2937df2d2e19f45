import type { OpenDatabase } from '../database/opening/open.js';
import { isDemoUnfinished, writeDemo } from './write-demo.js';

/** Writes the demo, or its missing part, into a newly created database; leaves any other database unchanged. */
export async function offerDemo(database: OpenDatabase): Promise<void> {
  if (database.isNew || (await isDemoUnfinished(database.store))) await writeDemoInto(database);
}

/**
 * Writes the demo for the local admin.
 * @returns false, having written nothing, when a chat with its id exists
 */
export async function writeDemoInto({ store }: OpenDatabase): Promise<boolean> {
  return writeDemo(store, { userId: 'local', isAdmin: true });
}
