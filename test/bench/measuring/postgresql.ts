/** A PostgreSQL from npm with its default settings. */
import pg from 'pg';
import { startPostgresql } from '../../support/database/embedded-postgresql.js';
import type { Ratio } from './report.js';

/** Without the fast settings of tests, which skip durability. */
const DEFAULT_SETTINGS: readonly string[] = [];

/** Runs a server for measurements. @param work receives a database URL, to which it may add a schema, and starts a standby if it needs one */
export async function* withPostgresql(
  work: (url: string, startStandby: () => Promise<string>) => AsyncGenerator<Ratio>,
): AsyncGenerator<Ratio> {
  const server = await startPostgresql(DEFAULT_SETTINGS);
  let standby: Awaited<ReturnType<typeof server.startStandby>> | undefined;
  try {
    yield* work(server.url, async () => (standby = await server.startStandby()).url);
  } finally {
    await standby?.remove();
    await server.remove();
  }
}

/** Does what autovacuum does within a minute: without it, plans fit tables that have no rows, and indexes contain deleted ones. */
export async function vacuum(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
}
