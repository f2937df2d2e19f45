/** `npm run demo`: writes the demo conversation into the database of DATABASE_URL. */
import { readConfig } from '../config.js';
import { openDatabase } from '../database/open.js';
import { DEMO_CHAT_ID, DEMO_TIME, writeDemo } from '../demo/write-demo.js';

const { databaseUrl } = readConfig();
const { store } = await openDatabase({ url: databaseUrl, clock: () => DEMO_TIME });
try {
  const written = await writeDemo(store, { userId: 'local', isAdmin: true });
  console.log(
    written
      ? `The demo conversation is chat "${DEMO_CHAT_ID}" in ${databaseUrl}.`
      : `There is a chat "${DEMO_CHAT_ID}" in ${databaseUrl} already; it stays as it is.`,
  );
} finally {
  await store.close();
}
