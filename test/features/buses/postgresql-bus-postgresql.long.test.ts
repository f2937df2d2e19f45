/** The bus on PostgreSQL: the shared server of the tests, and a separate one that fails. */
import pg from 'pg';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { channelOf, createPostgresqlBus } from '../../../src/features/buses/postgresql-bus.js';
import { startOwnPostgresql, type OwnPostgresql } from '../../support/database/own-postgresql.js';
import { rawDatabase } from '../../support/database/raw-database.js';
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
    async disconnectClients() {
      const ended = await admin(
        `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'parley bus' AND query = $1`,
        [`LISTEN ${pg.escapeIdentifier(channel)}`],
      );
      expect(ended).toHaveLength(2);
    },
  };
}

/** One server for all tests of this file that make it fail: each test restores it. */
let ownPostgresql: Promise<OwnPostgresql> | undefined;
const ends: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

describeBus({
  name: 'PostgreSQL',
  open: (url, channel, listener, pace) => createPostgresqlBus({ settings: settingsOf(url), channel }, listener, pace),
  server,
  async ownServer(channel) {
    const own = await (ownPostgresql ??= startOwnPostgresql(undefined, (end) => void ends.push(end)));
    onTestFinished(() => own.thaw());
    return { ...own, ...(await server(channel, own.url)) };
  },
});

it('has a channel for every schema, as long as PostgreSQL allows', () => {
  expect(channelOf('public')).toBe('parley:public');
  expect(channelOf('x'.repeat(63))).toBe(`parley:${'x'.repeat(56)}`);
});
