/** Drafts on two servers of one SQLite file that notify each other through Redis. */
import { it } from 'vitest';
import { noRedis, startRedis } from '../../../support/server/redis-server.js';
import { temporaryFile } from '../../../support/temporary-folder.js';
import { breakRedis } from '../../../live/faults/faults.js';
import { expectDraftsToSurvive, MANY, SWEEPS } from './two-servers.js';

it.skipIf(noRedis !== '')(
  `every follower of a draft receives every chunk once and in order during faults, with Redis${noRedis}`,
  async () => {
    const redis = await startRedis();
    const settings = { DATABASE_URL: `file:${temporaryFile()}`, REDIS_URL: redis.url, ...SWEEPS };
    await expectDraftsToSurvive(settings, breakRedis(redis), MANY);
  },
);
