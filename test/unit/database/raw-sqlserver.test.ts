/** Raw statements of tests on SQL Server, where each test file has its own schema. */
import { expect, it } from 'vitest';
import { rawDatabase } from '../../support/database/raw-database.js';
import { tdsServer } from '../../support/database/tds-server.js';

it.each([
  ['UPDATE chats SET "updatedAt" = 1000', 'UPDATE "s"."chats" SET "updatedAt" = 1000'],
  ['SELECT "id" FROM "messages" WHERE "chatId" = 1', 'SELECT "id" FROM "s"."messages" WHERE "chatId" = 1'],
  ['DELETE FROM draft_chunks', 'DELETE FROM "s"."draft_chunks"'],
  ['SELECT 1 FROM "s"."chats"', 'SELECT 1 FROM "s"."chats"'],
  ['SELECT 1 FROM chats_of_others', 'SELECT 1 FROM chats_of_others'],
])('%s names the table in the schema of the URL', async (given, sent) => {
  const server = await tdsServer();
  const database = await rawDatabase(`${server.url};schema=s`);
  await database.run(given);
  await database.rows(given);
  expect(server.asked.filter((text) => text.includes(sent)).length).toBe(2);
});
