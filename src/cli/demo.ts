/** `npm run demo`: writes the demo conversation into the database of DATABASE_URL. */
import { readConfig } from '../config.js';
import { writeDemoInto } from '../demo/offer-demo.js';
import { DEMO_CHAT_ID } from '../demo/write-demo.js';

const { databaseUrl } = readConfig();
console.log(
  (await writeDemoInto(databaseUrl))
    ? `The demo conversation is chat "${DEMO_CHAT_ID}" in ${databaseUrl}.`
    : `There is a chat "${DEMO_CHAT_ID}" in ${databaseUrl} already; it stays as it is.`,
);
