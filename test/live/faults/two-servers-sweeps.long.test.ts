/** Followers of two servers on one SQLite file without a bus: sweeps find the changes. */
import { it } from 'vitest';
import { expectNothingMissed } from './two-servers.js';

it('every follower receives every event once and in order during faults, with sweeps only', async () => {
  await expectNothingMissed('none');
});
