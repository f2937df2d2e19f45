/** Followers of two servers on one SQLite file, which tell each other of changes through Redis, or not at all. */
import { it } from 'vitest';
import { noRedis } from '../../support/redis-server.js';
import { expectNothingMissed } from './two-servers.js';

it.skipIf(noRedis !== '')(
  `every follower is told everything once and in order, whatever breaks, with Redis${noRedis}`,
  () => expectNothingMissed('redis'),
  180_000,
);

it('every follower is told everything once and in order, whatever breaks, with nothing but sweeps', async () => {
  await expectNothingMissed('none');
}, 180_000);
