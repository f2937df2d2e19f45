/** Followers of two servers on one SQLite file, which do not tell each other of changes: each looks for them. */
import { it } from 'vitest';
import { expectNothingMissed } from './two-servers.js';

it('every follower is told everything once and in order, whatever breaks, with nothing but sweeps', async () => {
  await expectNothingMissed('none');
});
