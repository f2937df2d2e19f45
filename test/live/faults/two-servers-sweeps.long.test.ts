/** Followers of two servers on one SQLite file, which do not notify each other: each finds changes by sweeps. */
import { it } from 'vitest';
import { expectNothingMissed } from './two-servers.js';

it('every follower receives every event once and in order during faults, with sweeps only', async () => {
  await expectNothingMissed('none');
});
