/** Whatever happens to PostgreSQL under a server at work: what was acknowledged is there. `npm run soak -- database` goes on with it. */
import { expect, it } from 'vitest';
import { startTriedServer } from './database-server.js';

const ROUNDS = 2;
/** How many saves are acknowledged between two faults. */
const SAVES = 100;

it('keeps every acknowledged write, reports an outage within ten seconds, and recovers', async () => {
  const { faults, savers, end } = await startTriedServer();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { begin, end } of faults) {
      await savers.more(SAVES);
      await begin();
      await end?.();
    }
  }
  await savers.more(SAVES);
  expect(await end()).toEqual([]);
}, 300_000);
