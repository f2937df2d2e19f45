/** Followers of two servers on one SQLite file that notify each other through Redis. */
import { it } from 'vitest';
import { noRedis } from '../../support/server/redis-server.js';
import { expectNothingMissed } from './two-servers.js';

it.skipIf(noRedis !== '')(
  `every follower receives every event once and in order during faults, with Redis${noRedis}`,
  () => expectNothingMissed('redis'),
);
