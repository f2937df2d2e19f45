/** A migrated database according to Prisma's engine. The migrations are written by hand. */
import { expect, it } from 'vitest';
import type { Migration } from '../../../src/database/drivers/bundled-migrations.js';
import { databaseKind } from '../../support/database/database-kind.js';
import { bundled, migrate } from '../../support/database/migrations.js';
import { schemaEngine } from '../../support/database/schema-engine.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const UP_TO_DATE = { hasMigrationsTable: true, editedMigrationNames: [], failedMigrationNames: [], history: null };
/** Prisma would drop these. It ignores partial indexes and collations. */
const BEYOND_THE_MODELS: Partial<Record<typeof databaseKind, string[]>> = {
  sqlite: ['', '_config', '_data', '_docsize', '_idx'].map((suffix) => `DROP TABLE "messages_fts${suffix}"`),
  postgresql: [
    'DROP INDEX "chats_metadata_idx"',
    'DROP INDEX "message_texts_vector_idx"',
    'ALTER TABLE "message_texts" DROP COLUMN "vector"',
  ],
};

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

it('has the tables of the models, and beyond them only parts that models cannot express', async () => {
  const engine = await schemaEngine(await migratedUrl());
  const statements = (await engine.diffToModels()).replace(/^--.*$|^PRAGMA .*;$/gm, '').match(/\w[^;]*/g);
  expect(statements).toEqual(BEYOND_THE_MODELS[databaseKind]);
});
