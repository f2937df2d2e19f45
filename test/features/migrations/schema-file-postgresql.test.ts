/** The migrations, which are written by hand, equal the models from which the client is generated. */
import { expect, it } from 'vitest';
import { migrate } from '../../support/database/migrations.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { schemaEngine } from '../../support/database/schema-engine.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

/** Objects that Prisma would drop, because models cannot express them. Prisma ignores partial indexes and collations. */
const BEYOND_THE_MODELS = [
  'DROP INDEX "chats_metadata_idx"',
  'DROP INDEX "message_texts_vector_idx"',
  'ALTER TABLE "message_texts" DROP COLUMN "vector"',
];
/** Texts that are never compared with each other. */
const PROSE = [
  ...['chat_events.payload', 'chats.indexedTitle', 'chats.title', 'chats.usage', 'draft_chunks.chunks'],
  ...['drafts.metadata', 'file_contents.content', 'message_texts.terms', 'messages.data', 'messages.preview'],
  ...['messages.usage', 'shares.hiddenDepths', 'shares.title', 'webhook_deliveries.ids'],
  ...['webhook_deliveries.lastError'],
];

async function migratedUrl(): Promise<string> {
  const url = temporaryDatabaseUrl();
  await migrate(url);
  return url;
}

it('the migrated tables equal those of the models, except for parts that models cannot express', async () => {
  const engine = await schemaEngine(await migratedUrl());
  const statements = (await engine.diffToModels()).replace(/^--.*$/gm, '').split(';');
  expect(statements.map((statement) => statement.trim()).filter((statement) => statement !== '')).toEqual(
    BEYOND_THE_MODELS,
  );
});

it('ids and names are compared byte by byte, for any collation of the database', async () => {
  const database = await rawDatabase(await migratedUrl());
  const columns = await database.rows<{ name: string; collation: string | null }>(`
    SELECT table_name || '.' || column_name AS name, collation_name AS collation FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name <> '_prisma_migrations' AND data_type = 'text'`);
  const others = columns.filter(({ collation }) => collation !== 'C').map(({ name }) => name);
  expect(others.sort()).toEqual(PROSE);
  expect(columns.length).toBeGreaterThan(others.length);
});
