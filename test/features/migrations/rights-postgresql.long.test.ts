/** A server whose role has the rights that docs/databases.md gives it, and no others. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { command } from '../../../src/features/migrations/migrate-command.js';
import { grantStatements, missingGrants, TABLE_RIGHTS } from '../../../src/features/migrations/rights.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import type { Queryable } from '../../../src/database/connection/connection.js';
import { connect } from '../../../src/database/opening/open.js';
import { runHere } from '../../cli/run-here.js';
import { startListening } from '../../support/server/listening-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { userOf } from '../../support/database/unusable-databases.js';

/** Runs `npm run migrate -- --grant-to ROLE` as the owner of the tables. */
async function grantTo(url: string, role: string): Promise<void> {
  const { code, out, error } = await runHere('migrate', command, ['--grant-to', role], {
    environment: { DATABASE_URL: url },
  });
  expect([code, error, out.at(-1)]).toEqual([0, [], `"${role}" has the rights of a server.`]);
}

it('serves, except for the erasure of rows in chats of other users, which it refuses with a reason', async () => {
  const url = temporaryDatabaseUrl();
  await (await connect(url, { migrate: true })).connection.close();
  const { url: databaseUrl, name, admin } = await userOf(url);
  await grantTo(url, name);
  const server = await startListening({ databaseUrl });
  const ok = async (operation: string) => {
    const { data, errors } = await server.ask(`mutation { done: ${operation} { __typename } }`);
    expect([operation, errors, ...server.unexpectedErrors.values()]).toEqual([operation, undefined]);
    expect((data as { done: { __typename: string } }).done.__typename).toMatch(/Payload$/);
  };
  const messages = '[{ name: "user", content: { text: "Hello" } }]';
  await ok('createChat(input: { id: "c" })');
  await ok(`saveMessages(input: { chatId: "c", messages: ${messages} })`);
  await ok('btw(input: { chatId: "c", at: { start: true } })');
  await ok(`saveMessages(input: { chatId: "c", messages: ${messages} })`);
  await ok('createCheckpoint(input: { chatId: "c", name: "here" })');
  await ok('startDraft(input: { chatId: "c", id: "d", name: "assistant" })');
  await ok('appendToDraft(input: { chatId: "c", id: "d", offset: 0, chunks: ["Hi"] })');
  await ok('finishDraft(input: { chatId: "c", id: "d" })');
  await ok('createChat(input: { id: "gone" })');
  await ok('deleteChat(input: { chatId: "gone", permanently: true })');

  // A user with events in the chat of another user.
  await admin.run(`UPDATE chat_events SET "actorId" = 'ann'`);
  const answer = await fetch(server.url.replace('/graphql', '/users?userId=ann'), { method: 'DELETE' });
  expect([answer.status, await answer.json()]).toEqual([
    503,
    {
      errors: [
        {
          message: expect.stringContaining('run npm run erase-user as the owner of the tables') as string,
          extensions: { code: 'DATABASE_UNAVAILABLE' },
        },
      ],
    },
  ]);
  expect(server.unexpectedErrors.size).toBe(0);
});

describe('the rights of a server', () => {
  it('are on every table', async () => {
    const url = temporaryDatabaseUrl();
    await (await connect(url, { migrate: true })).connection.close();
    const tables = await (await rawDatabase(url)).tables();
    expect(TABLE_RIGHTS.map(({ name }) => `"${name}"`).sort()).toEqual(tables.sort());
  });

  it('are listed if they are missing: a server does not start, and a running one is not ready', async () => {
    const url = temporaryDatabaseUrl();
    await (await connect(url, { migrate: true })).connection.close();
    const { url: databaseUrl, name, admin } = await userOf(url);
    await grantTo(url, name);
    const server = await startListening({ databaseUrl });
    const ready = async () => {
      const response = await fetch(new URL('/health/ready', server.url));
      return { status: response.status, body: (await response.json()) as object };
    };
    // The bus connects after the server starts.
    await expect.poll(ready).toEqual({
      status: 200,
      body: { status: 'ready', database: 'up', bus: 'up', migrations: 'applied' },
    });
    const parsed = parseDatabaseUrl(url) as ServerUrl;
    for (const grant of grantStatements(parsed, name)) {
      const [, privileges = ''] = /^GRANT (.*?) ON /.exec(grant)!;
      for (const privilege of privileges.split(', ')) {
        const missing = grant.replace(privileges, privilege);
        await admin.run(missing.replace(/^GRANT/, 'REVOKE').replace(/ TO /, ' FROM '));
        expect(await ready()).toEqual({
          status: 503,
          body: { status: 'not ready', database: 'up', bus: 'up', migrations: 'unknown', missingGrants: [missing] },
        });
        const reason = `lacks rights; run as the owner of the tables \`npm run migrate -- --grant-to ROLE\`, or ${missing}`;
        await expect(connect(databaseUrl, { migrate: false, isServing: true })).rejects.toThrow(reason);
        await admin.run(missing);
      }
    }
    expect(await ready()).toMatchObject({ status: 200 });
  });

  it('can be granted to a role with any name', async () => {
    const url = temporaryDatabaseUrl();
    await (await connect(url, { migrate: true })).connection.close();
    const { admin } = await userOf(url);
    const name = `a "role"; DROP TABLE chats; -- ${new URL(url).searchParams.get('schema')}`;
    const quoted = `"${name.replaceAll('"', '""')}"`;
    await admin.run(`CREATE ROLE ${quoted}`);
    onTestFinished(() => admin.run(`DROP OWNED BY ${quoted}; DROP ROLE ${quoted}`));
    await grantTo(url, name);
    await admin.run(`SET ROLE ${quoted}`);
    const read = async <T>(query: (db: Queryable) => Promise<T>) =>
      query({ rows: ({ text, values }) => admin.rows(text, values) as never, run: () => Promise.resolve(0) });
    expect(await missingGrants(parseDatabaseUrl(url), { read })).toEqual([]);
    await admin.run('RESET ROLE');
  });
});
