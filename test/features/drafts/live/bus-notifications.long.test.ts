/** Draft events between two servers over the bus only: sweeps run hourly. */
import { expect, onTestFinished, test } from 'vitest';
import { RemoteStore, type DraftUpdate } from '@parley/context';
import { startOwnPostgresql } from '../../../support/database/own-postgresql.js';
import { noRedis, startRedis } from '../../../support/server/redis-server.js';
import { startServer, type Settings } from '../../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../../support/database/temporary-database.js';

/**
 * Stops a writer through another server and finishes its draft: the bus notifies both sides, because sweeps run hourly.
 */
async function expectNotifications(given: Settings): Promise<void> {
  const settings = { ...given, SWEEP_INTERVAL_MS: '3600000' };
  const writing = new RemoteStore({ url: (await startServer({ ...settings, MIGRATE_ON_START: 'true' })).url });
  const watching = new RemoteStore({ url: (await startServer(settings)).url });
  await writing.createChat({ id: 'c', userId: 'local' });
  await writing.startDraft('c', { id: 'd' });
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const [writer, watcher] = [
    writing.followDraft('c', 'd', { signal: over.signal }),
    watching.followDraft('c', 'd', { signal: over.signal }),
  ];
  const next = async (updates: AsyncIterator<DraftUpdate>) => ((await updates.next()).value as DraftUpdate).type;

  // The subscription is open when the first event arrives.
  await writing.appendToDraft('c', 'd', 0, [{ type: 'start' }]);
  expect([await next(writer), await next(watcher)]).toEqual(['chunks', 'chunks']);
  await watching.stopDraft('c', 'd');
  expect([await next(writer), await next(watcher)]).toEqual(['stopping', 'stopping']);
  await writing.finishDraft('c', 'd', { text: 'as far as it came' });
  expect([await next(writer), await next(watcher)]).toEqual(['finished', 'finished']);
}

test('PostgreSQL notifies a writer on another server of a stop, and a follower of the end', async () => {
  await expectNotifications({ DATABASE_URL: (await startOwnPostgresql()).url });
});

test.skipIf(noRedis !== '')(
  `Redis notifies a writer on another server of a stop, and a follower of the end${noRedis}`,
  async () => {
    await expectNotifications({ DATABASE_URL: temporaryDatabaseUrl(), REDIS_URL: (await startRedis()).url });
  },
);
