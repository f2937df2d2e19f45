/** The bus on PostgreSQL: the server of the tests, and those of a test's own that go away. */
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { postgresqlSettings } from '../../src/database/opening/connections/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../src/database/opening/database-url.js';
import { channelOf, createPostgresqlBus } from '../../src/events/buses/postgresql-bus.js';
import { startOwnPostgresql } from '../support/own-postgresql.js';
import { rawDatabase } from '../support/raw-database.js';
import { describeBus, type BusServer } from './any-bus.js';

const settingsOf = (url: string) => postgresqlSettings(parseDatabaseUrl(url) as ServerUrl);

async function server(channel: string, url = inject('serverUrl')): Promise<BusServer> {
  const admin = async (sql: string, values: string[]) => {
    const { rows } = await rawDatabase(url);
    return rows<{ pid: number }>(sql, values);
  };
  return {
    url,
    publish: (payload) => admin('SELECT pg_notify($1, $2)', [channel, payload]),
    async hangUp() {
      const ended = await admin(
        `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'parley bus' AND query = $1`,
        [`LISTEN ${pg.escapeIdentifier(channel)}`],
      );
      expect(ended).toHaveLength(2);
    },
  };
}

describeBus({
  name: 'PostgreSQL',
  open: (url, channel, listener, pace) => createPostgresqlBus({ settings: settingsOf(url), channel }, listener, pace),
  server,
  async ownServer(channel) {
    const own = await startOwnPostgresql();
    return { ...own, ...(await server(channel, own.url)) };
  },
});

it('has a channel for every schema, as long as PostgreSQL allows', () => {
  expect(channelOf('public')).toBe('parley:public');
  expect(channelOf('x'.repeat(63))).toBe(`parley:${'x'.repeat(56)}`);
});
