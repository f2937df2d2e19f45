import { openDatabase } from '../database/open.js';
import { DEMO_TIME, isDemoUnfinished, writeDemo } from './write-demo.js';

/** Gives a database that this start makes the demo to begin with; one that is there already stays as it is. */
export async function offerDemo(databaseUrl: string): Promise<void> {
  const { store, isNew } = await openDatabase({ url: databaseUrl, clock: () => DEMO_TIME });
  try {
    if (isNew || (await isDemoUnfinished(store))) await writeDemo(store, { userId: 'local', isAdmin: true });
  } finally {
    await store.close();
  }
}
