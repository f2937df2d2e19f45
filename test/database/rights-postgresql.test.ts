/** A server whose role has the rights that docs/databases.md gives it, and no others. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { connect } from '../../src/database/opening/open.js';
import { startListening } from '../support/listening-server.js';
import { temporaryDatabaseUrl } from '../support/temporary-database.js';
import { userOf } from '../support/unusable-databases.js';

it('serves, but for the erasure of what somebody has done in the chats of others, which it says', async () => {
  const url = temporaryDatabaseUrl();
  await (await connect(url, { migrate: true })).connection.close();
  const { url: databaseUrl, name, admin } = await userOf(url);
  const schema = new URL(url).searchParams.get('schema')!;
  const grants = readFileSync('docs/databases.md', 'utf8').match(/^GRANT .* TO parley;$/gm)!;
  expect(grants.length).toBeGreaterThan(3);
  await admin.run(`SET search_path TO "${schema}"`);
  for (const grant of grants) {
    await admin.run(grant.replaceAll('SCHEMA public', `SCHEMA "${schema}"`).replace('TO parley', `TO "${name}"`));
  }
  const server = await startListening({ databaseUrl });
  const ok = async (operation: string) => {
    const { data, errors } = await server.ask(`mutation { done: ${operation} { __typename } }`);
    expect([operation, errors, ...server.unexpectedErrors.values()]).toEqual([operation, undefined]);
    expect((data as { done: { __typename: string } }).done.__typename).toMatch(/Payload$/);
  };
  const messages = '[{ name: "user", content: { text: "Hello" } }]';
  await ok('createChat(input: { id: "c" })');
  await ok(`saveMessages(input: { chatId: "c", messages: ${messages} })`);
  await ok('btw(input: { chatId: "c", messageId: null })');
  await ok(`saveMessages(input: { chatId: "c", messages: ${messages} })`);
  await ok('createCheckpoint(input: { chatId: "c", name: "here" })');
  await ok('startDraft(input: { chatId: "c", id: "d", name: "assistant" })');
  await ok('appendToDraft(input: { chatId: "c", id: "d", offset: 0, chunks: ["Hi"] })');
  await ok('finishDraft(input: { chatId: "c", id: "d" })');
  await ok('createChat(input: { id: "gone" })');
  await ok('deleteChat(input: { id: "gone" })');

  // One who has done something in the chat of somebody else.
  await admin.run(`UPDATE chat_events SET "actorId" = 'ann'`);
  const answer = await fetch(server.url.replace('/graphql', '/users?userId=ann'), { method: 'DELETE' });
  expect([answer.status, await answer.json()]).toEqual([
    503,
    {
      errors: [
        {
          message: expect.stringContaining('npm run erase-user goes on, as the owner of the tables') as string,
          extensions: { code: 'DATABASE_UNAVAILABLE' },
        },
      ],
    },
  ]);
  expect(server.unexpectedErrors.size).toBe(0);
});
