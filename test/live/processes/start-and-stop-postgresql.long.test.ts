/** Errors of a server on PostgreSQL that cannot start. */
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { grantStatements } from '../../../src/features/migrations/rights.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { bundled, migrate } from '../../support/database/migrations.js';
import { CreateChat, SaveMessages, userMessage } from '../../support/chats/operations.js';
import { startConfigured } from '../../support/server/configured-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import type { Settings } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { dropSchema } from '../../support/database/test-schema.js';
import {
  immutableDatabases,
  PASSWORD,
  unreachableDatabases,
  userOf,
} from '../../support/database/unusable-databases.js';

/** A line that names the database and the fault. */
function complaint(databaseUrl: string, reason: string): string {
  const { shown } = parseDatabaseUrl(databaseUrl);
  expect(shown).not.toContain(PASSWORD);
  return `Cannot use the database ${shown} (DATABASE_URL): ${reason}`;
}

async function expectFailure(settings: Settings, reason: string): Promise<void> {
  expect(await refusal(settings)).toBe(complaint(settings.DATABASE_URL, reason));
}

/** The error message of a server that does not start. */
async function refusal(settings: Settings): Promise<string> {
  const failure: unknown = await startConfigured(settings).catch((error: unknown) => error);
  if (!(failure instanceof Error)) throw new Error('The server started instead of failing');
  return failure.message;
}

describe('a server does not start, and prints the reason,', () => {
  it.each(Object.entries(unreachableDatabases))('on a database %s', async (_, make) => {
    const { url, reason } = await make();
    await expectFailure({ DATABASE_URL: url }, reason);
  });

  it.each(Object.entries(immutableDatabases))('on a new database %s', async (_, make) => {
    const { url, reason } = await make();
    await expectFailure({ DATABASE_URL: url, MIGRATE_ON_START: 'true' }, reason);
  });

  it.each([
    ['sslmode=no-verify', 'The server does not support SSL connections'],
    ['sslmode=verify-full&sslrootcert=/nowhere.pem', "ENOENT: no such file or directory, open '/nowhere.pem'"],
  ])('on a server without TLS and a URL with %s', async (parameters, reason) => {
    await expectFailure({ DATABASE_URL: `${temporaryDatabaseUrl()}&${parameters}` }, reason);
  });

  it('when its statements would use the tables of another schema', async () => {
    const [url, other] = [temporaryDatabaseUrl(), temporaryDatabaseUrl()].map((each) => new URL(each));
    for (const each of [url!, other!]) await startConfigured({ DATABASE_URL: each.href, MIGRATE_ON_START: 'true' });
    const [schema, otherSchema] = [url!, other!].map((each) => each.searchParams.get('schema'));
    url!.searchParams.set('options', `-c search_path=${otherSchema}`);
    await expectFailure(
      { DATABASE_URL: url!.href },
      `its search_path leads to the schema "${otherSchema}" and not to "${schema}": see Poolers in docs/databases.md`,
    );
  });

  it.each([
    ['new', 0],
    ['of an older Parley', 1],
  ])('on a database that is %s, unless it may migrate', async (_, count) => {
    const url = temporaryDatabaseUrl();
    await migrate(url, bundled.slice(0, count));
    const missing = bundled.slice(count).map(({ name }) => name);
    await expectFailure(
      { DATABASE_URL: url },
      `it lacks the migrations ${missing.join(', ')}; run \`npm run migrate\`, or start with MIGRATE_ON_START=true`,
    );
  });

  it('as a user without the right to read the tables', async () => {
    const url = temporaryDatabaseUrl();
    await startConfigured({ DATABASE_URL: url, MIGRATE_ON_START: 'true' });
    const user = await userOf(url);
    const [usage = '', ...others] = grantStatements(parseDatabaseUrl(url) as ServerUrl, user.name);
    const lacks = (grants: readonly string[]) =>
      `the role of the server lacks rights; run as the owner of the tables \`npm run migrate -- --grant-to ROLE\`, or ${grants.join('; ')}`;
    await expectFailure({ DATABASE_URL: user.url }, lacks([usage, ...others]));
    await user.admin.run(usage);
    await expectFailure({ DATABASE_URL: user.url }, lacks(others));
  });
});

it('a server uses only its own schema, with capitals and its own settings', async () => {
  const url = new URL(temporaryDatabaseUrl());
  url.searchParams.set('schema', `${url.searchParams.get('schema')}_Capitals`);
  url.searchParams.set('options', '-c statement_timeout=60000');
  onTestFinished(() => dropSchema(url.searchParams.get('schema')!, inject('serverUrl')));
  const server = await startConfigured({ DATABASE_URL: url.href, MIGRATE_ON_START: 'true' });
  await server.run(CreateChat, { input: { id: 'c' } });
  const rows = await (await rawDatabase(url.href)).rows<{ id: string }>('SELECT "id" FROM chats');
  expect(rows).toEqual([{ id: 'c' }]);
});

it('a server starts with a role that can only read and write rows, after another role has migrated', async () => {
  const url = temporaryDatabaseUrl();
  const owner = await startConfigured({ DATABASE_URL: url, MIGRATE_ON_START: 'true' });
  await owner.run(CreateChat, { input: { id: 'c' } });
  const { url: own, name, admin } = await userOf(url);
  const schema = new URL(url).searchParams.get('schema')!;
  await admin.run(`
    GRANT USAGE ON SCHEMA "${schema}" TO "${name}";
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "${schema}" TO "${name}";
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA "${schema}" TO "${name}"`);
  for (const [n, settings] of [{}, { MIGRATE_ON_START: 'true' } as const].entries()) {
    const server = await startConfigured({ DATABASE_URL: own, ...settings });
    const { saveMessages } = await server.run(SaveMessages, {
      input: { chatId: 'c', messages: [userMessage(`m${n}`)], onConflict: 'REJECT' },
    });
    expect(saveMessages.__typename).toBe('SaveMessagesPayload');
  }
  expect(await (await rawDatabase(url)).rows('SELECT count(*)::int AS count FROM messages')).toEqual([{ count: 2 }]);
});
