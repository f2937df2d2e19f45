/** The status of a migrated database according to Prisma's engine. */
import { expect, it } from 'vitest';
import type { Migration } from '../../../src/database/drivers/bundled-migrations.js';
import { bundled, migrate } from '../../support/database/migrations.js';
import { schemaEngine } from '../../support/database/schema-engine.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const UP_TO_DATE = { hasMigrationsTable: true, editedMigrationNames: [], failedMigrationNames: [], history: null };

async function migratedUrl(): Promise<string> {
  const url = temporaryDatabaseUrl();
  await migrate(url);
  return url;
}

it('prisma migrate status reports every migration as applied', async () => {
  const engine = await schemaEngine(await migratedUrl());
  expect(await engine.status(bundled)).toEqual(UP_TO_DATE);
});

it('prisma migrate deploy applies the remaining migrations', async () => {
  const next: Migration = { name: '9999_next', sql: 'CREATE TABLE next (id INTEGER)' };
  const engine = await schemaEngine(await migratedUrl());
  expect(await engine.deploy(bundled)).toEqual([]);
  expect(await engine.deploy([...bundled, next])).toEqual([next.name]);
  expect(await engine.status([...bundled, next])).toEqual(UP_TO_DATE);
});
