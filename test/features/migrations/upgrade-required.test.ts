/** A server on a database that a newer version has migrated. */
import { expect, it } from 'vitest';
import { bundled, migrate } from '../../support/database/migrations.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';

const SAVE =
  'mutation { result: saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { text: "x" } }] }) { __typename } }';

async function startOnMigrated() {
  const server = await startListening({ databaseUrl: temporaryDatabaseUrl() });
  await server.ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  const upgrade = (name: string, sql: string) => migrate(server.databaseUrl, [...bundled, { name, sql }]);
  return { server, upgrade };
}

async function readiness({ url }: ListeningServer) {
  const response = await fetch(new URL('/health/ready', url));
  return [response.status, ((await response.json()) as { migrations: string }).migrations];
}

const MIGRATION = '9999_breaking_new_name';
const UPGRADE_REQUIRED = {
  message: `The database has the migration "${MIGRATION}" of a newer version: upgrade this server, or retry on another`,
  extensions: { code: 'UPGRADE_REQUIRED' },
};

it('saves, imports and is ready after a migration that only adds', async () => {
  const { server, upgrade } = await startOnMigrated();
  await upgrade('9999_more', 'CREATE TABLE more (id INTEGER); ALTER TABLE messages ADD COLUMN "more" TEXT');
  expect(await readiness(server)).toEqual([200, 'applied']);
  expect(await server.ask(SAVE)).toEqual({ data: { result: { __typename: 'SaveMessagesPayload' } } });
  const headers = { 'content-type': 'application/jsonl' };
  const body = '{"messages":[{"role":"user","content":"x"}]}\n';
  const response = await fetch(server.url.replace('/graphql', '/import'), { method: 'POST', headers, body });
  expect(await response.text()).toContain('"imported":1');
});

it('answers a change that fails after a breaking migration with UPGRADE_REQUIRED, and all later ones', async () => {
  const { server, upgrade } = await startOnMigrated();
  await upgrade(MIGRATION, 'ALTER TABLE messages RENAME COLUMN "preview" TO "beginning"');
  for (const operation of [SAVE, 'mutation { result: deleteChat(input: { chatId: "c" }) { __typename } }']) {
    expect((await server.ask(operation)).errors).toMatchObject([UPGRADE_REQUIRED]);
  }
  expect(await server.ask('{ chat(id: "c") { id } }')).toEqual({ data: { chat: { id: 'c' } } });
  expect(await readiness(server)).toEqual([503, 'newer']);
  expect(server.unexpectedErrors.size).toBe(0);
});

it('makes no change once readiness has found a breaking migration', async () => {
  const { server, upgrade } = await startOnMigrated();
  await upgrade(MIGRATION, 'SELECT 1');
  expect(await readiness(server)).toEqual([503, 'newer']);
  expect((await server.ask(SAVE)).errors).toMatchObject([UPGRADE_REQUIRED]);
  expect((await server.ask('{ chat(id: "c") { messageCount } }')).data).toEqual({ chat: { messageCount: 0 } });
});

it.each([
  ['POST', '/import', '{"messages":[{"role":"user","content":"x"}]}\n'],
  ['DELETE', '/users?userId=ann', undefined],
])('answers %s %s with UPGRADE_REQUIRED', async (method, path, body) => {
  const { server, upgrade } = await startOnMigrated();
  await server.ask('mutation { createChat(input: { userId: "ann" }) { __typename } }');
  await upgrade(MIGRATION, 'SELECT 1');
  expect(await readiness(server)).toEqual([503, 'newer']);
  const headers = { 'content-type': 'application/jsonl' };
  const response = await fetch(server.url.replace('/graphql', path), { method, headers, ...(body && { body }) });
  expect([response.status, await response.json()]).toMatchObject([503, { errors: [UPGRADE_REQUIRED] }]);
  expect(server.unexpectedErrors.size).toBe(0);
});
