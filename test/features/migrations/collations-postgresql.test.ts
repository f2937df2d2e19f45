import { expect, it } from 'vitest';
import { migrate } from '../../support/database/migrations.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

/** Texts that are never compared with each other. */
const PROSE = [
  ...['chat_events.payload', 'chats.indexedTitle', 'chats.title', 'chats.usage', 'draft_chunks.chunks'],
  ...['drafts.metadata', 'file_contents.content', 'message_texts.terms', 'messages.data', 'messages.preview'],
  ...['messages.usage', 'shares.branchName', 'shares.branches', 'shares.hiddenDepths', 'shares.sharerName'],
  ...['shares.title', 'webhook_deliveries.ids', 'webhook_deliveries.lastError'],
];

it('ids and names are compared byte by byte, for any collation of the database', async () => {
  const url = temporaryDatabaseUrl();
  await migrate(url);
  const database = await rawDatabase(url);
  const columns = await database.rows<{ name: string; collation: string | null }>(`
    SELECT table_name || '.' || column_name AS name, collation_name AS collation FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name <> '_prisma_migrations' AND data_type = 'text'`);
  const others = columns.filter(({ collation }) => collation !== 'C').map(({ name }) => name);
  expect(others.sort()).toEqual(PROSE);
  expect(columns.length).toBeGreaterThan(others.length);
});
