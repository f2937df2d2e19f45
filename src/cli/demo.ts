/** `npm run demo`: writes the demo conversation into the database of DATABASE_URL. */
import { readConfig } from '../config.js';
import { openDatabase } from '../database/opening/open.js';
import { writeDemoInto } from '../demo/offer-demo.js';
import { DEMO_CHAT_ID } from '../demo/write-demo.js';
import { messageOf } from '../message-of.js';

try {
  const database = await openDatabase({ url: readConfig().databaseUrl });
  try {
    console.log(
      (await writeDemoInto(database))
        ? `The demo conversation is chat "${DEMO_CHAT_ID}" now.`
        : `There is a chat "${DEMO_CHAT_ID}" already; it stays as it is.`,
    );
  } finally {
    await database.store.close();
  }
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
