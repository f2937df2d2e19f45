/** SIGKILL while a large chat is removed: it stays deleted, and the next start removes its rows. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { tablesWith } from '../../../src/conversation/table-rules.js';
import { tableAt } from '../../support/database/all-rows.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { startServer } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const TABLES = tablesWith({ rowsOf: 'chat' });

it('a chat whose deletion was killed is missing, and the next start removes the rest', async () => {
  const databaseUrl = temporaryDatabaseUrl();
  const server = await startServer({ DATABASE_URL: databaseUrl, MIGRATE_ON_START: 'true' });
  const create = 'mutation { createChat(input: { id: "large" }) { __typename } }';
  await server.post(create);
  const save = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  const messages = Array.from({ length: 500 }, () => ({ name: 'user', content: { text: 'findable' } }));
  // Enough rows that the kill interrupts their removal.
  for (let n = 0; n < 20; n++) await server.post(save, { input: { chatId: 'large', messages } });

  const database = await rawDatabase(databaseUrl);
  const left = async () => {
    const counts = TABLES.map((table) => `(SELECT count(*) FROM ${tableAt(databaseUrl, table).sql}) AS ${table}`);
    const [row] = await database.rows<Record<string, string | number>>(`SELECT ${counts.join(', ')}`);
    return Object.fromEntries(Object.entries(row!).map(([table, count]) => [table, Number(count)]));
  };
  const removal = server
    .post('mutation { deleteChat(input: { chatId: "large", permanently: true }) { __typename } }')
    .catch(() => 'cut off');
  while ((await left())['messages'] === 10_000) await nextTurn();
  server.kill('SIGKILL');
  expect(await removal).toBe('cut off');
  await server.exited;
  expect((await left())['messages']).toBeGreaterThan(0);

  const next = await startConfigured({ DATABASE_URL: databaseUrl });
  expect(Object.values(await left())).toEqual(TABLES.map(() => 0));
  const look = '{ chat(id: "large") { id } search(query: "findable", first: 1) { edges { cursor } } }';
  expect(await next.post(look)).toEqual({ data: { chat: null, search: { edges: [] } } });
  expect(await next.post(create)).toEqual({ data: { createChat: { __typename: 'CreateChatPayload' } } });
});
