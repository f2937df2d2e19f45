/** Followers of two servers that notify each other through one PostgreSQL. */
import { it } from 'vitest';
import { expectNothingMissed } from './two-servers.js';

it('every follower receives every event once and in order during faults, on one PostgreSQL', async () => {
  await expectNothingMissed('postgresql');
});
