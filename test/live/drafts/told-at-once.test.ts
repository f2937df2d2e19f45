/** What one server hears of another's drafts by the bus alone, where nothing would be found by looking for an hour. */
import { expect, onTestFinished, test } from 'vitest';
import { RemoteStore, type DraftUpdate } from '@parley/context';
import { startOwnPostgresql } from '../../support/own-postgresql.js';
import { startRedis } from '../../support/redis-server.js';
import { startServer, type Settings } from '../../support/server-process.js';
import { temporaryDatabaseUrl } from '../../support/temporary-database.js';

const BUSES: Record<string, () => Promise<Settings>> = {
  PostgreSQL: async () => ({ DATABASE_URL: (await startOwnPostgresql()).url }),
  Redis: async () => ({ DATABASE_URL: temporaryDatabaseUrl(), REDIS_URL: (await startRedis()).url }),
};

test.each(Object.entries(BUSES))(
  'a writer on one server is told by %s that it is to stop, and a follower that it has finished, without a sweep',
  async (_, prepare) => {
    const settings = { ...(await prepare()), SWEEP_INTERVAL_MS: '3600000' };
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

    // The first one comes when the subscription stands.
    await writing.appendToDraft('c', 'd', 0, [{ type: 'start' }]);
    expect([await next(writer), await next(watcher)]).toEqual(['chunks', 'chunks']);
    await watching.stopDraft('c', 'd');
    expect([await next(writer), await next(watcher)]).toEqual(['stopping', 'stopping']);
    await writing.finishDraft('c', 'd', { text: 'as far as it came' });
    expect([await next(writer), await next(watcher)]).toEqual(['finished', 'finished']);
  },
);
