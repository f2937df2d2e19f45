import type { OpenDatabase } from '../database/opening/open.js';
import { isDemoUnfinished, writeDemo } from './write-demo.js';

/** Gives a database that was made just now the demo to begin with, or what it lacks of it; any other stays as it is. */
export async function offerDemo(database: OpenDatabase): Promise<void> {
  if (database.isNew || (await isDemoUnfinished(database.store))) await writeDemoInto(database);
}

/**
 * Writes the demo for the local admin.
 * @returns false, having written nothing, when there is a chat of its id
 */
export async function writeDemoInto({ store }: OpenDatabase): Promise<boolean> {
  return writeDemo(store, { userId: 'local', isAdmin: true });
}
