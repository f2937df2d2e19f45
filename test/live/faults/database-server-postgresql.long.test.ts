/**
 * Faults of PostgreSQL under load: every acknowledged write is kept. `npm run soak -- database` runs them for longer.
 */
import { expect, it } from 'vitest';
import { startTriedServer } from './database-server.js';

const ROUNDS = 2;
/** Acknowledged saves between two faults. */
const SAVES = 100;

it('keeps every acknowledged write, reports each outage, and recovers', async () => {
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
});
