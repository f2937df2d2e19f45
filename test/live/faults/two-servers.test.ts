/** Followers of two servers on one SQLite file, which do not tell each other of changes: each looks for them. */
import { it } from 'vitest';
import { isThorough } from '../../support/effort.js';
import { expectNothingMissed } from './two-servers.js';

it('every follower is told everything once and in order, whatever breaks, with nothing but sweeps', async () => {
  await (isThorough ? expectNothingMissed('none') : expectNothingMissed('none', 40, 4));
}, 180_000);
