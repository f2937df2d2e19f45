import type { OpenDatabase } from '../database/opening/open.js';
import { DEMO_TIME, isDemoUnfinished, writeDemo } from './write-demo.js';

/** Gives a database that was made just now the demo to begin with, or what it lacks of it; any other stays as it is. */
export async function offerDemo(database: OpenDatabase): Promise<void> {
  if (database.isNew || (await isDemoUnfinished(database.store))) await writeDemoInto(database);
}

/**
 * Writes the demo for the local admin, dated by a clock of its own.
 * @returns false, having written nothing, when there is a chat of its id
 */
export async function writeDemoInto({ storeAt }: OpenDatabase): Promise<boolean> {
  return writeDemo(
    storeAt(() => DEMO_TIME),
    { userId: 'local', isAdmin: true },
  );
}
