/** Notifications between the servers of one database: over Redis where it is configured, otherwise those of PostgreSQL. */
import { parseDatabaseUrl } from '../../database/connection/database-url.js';
import { memoryBus } from '../../events/bus.js';
import type { Feature } from '../../feature.js';

export const buses: Feature = {
  connectBus: async ({ databaseUrl, redisUrl }, listener) => {
    if (redisUrl !== undefined) {
      const { createRedisBus } = await import('./redis-bus.js');
      return createRedisBus(redisUrl, listener);
    }
    const url = parseDatabaseUrl(databaseUrl);
    // A transaction pooler does not support LISTEN.
    if (url.provider !== 'postgresql' || !url.canPrepare) return memoryBus;
    const [{ postgresqlSettings }, { channelOf, createPostgresqlBus }] = await Promise.all([
      import('../../database/drivers/postgresql.js'),
      import('./postgresql-bus.js'),
    ]);
    return createPostgresqlBus({ settings: postgresqlSettings(url), channel: channelOf(url.schema) }, listener);
  },
};
