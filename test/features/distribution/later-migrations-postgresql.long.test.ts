/** Migrations of a schema that is in the distributed form already; on Citus, test/conformance/citus/migrations.test.ts. */
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { Migration } from '../../../src/database/drivers/bundled-migrations.js';
import { migratePostgresql } from '../../../src/features/migrations/postgresql.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { partitionSchema } from './distributed-schema.js';
import { ALL, BEFORE, formOf } from './later-migrations.js';
import { persistentDatabase } from '../../support/database/temporary-database.js';

/** PostgreSQL builds no index of a partitioned table beside writes. */
const WITHOUT_BUILDS = ALL.filter(({ sql }) => !sql.includes('CONCURRENTLY'));

/** The form of a schema that gets its partitions after each part of the migrations. */
async function formAfter(...parts: (readonly Migration[])[]): Promise<string[]> {
  const { url, remove } = persistentDatabase();
  const parsed = parseDatabaseUrl(url) as ServerUrl;
  const client = new pg.Client(postgresqlSettings(parsed));
  await client.connect();
  onTestFinished(() => client.end().then(remove));
  for (const migrations of parts) {
    await migratePostgresql(parsed, migrations);
    await partitionSchema(client, parsed.schema);
  }
  return formOf(client);
}

it('later migrations lead to the same form as partitions after them', async () => {
  expect(await formAfter(BEFORE, WITHOUT_BUILDS)).toEqual(await formAfter(WITHOUT_BUILDS));
});
