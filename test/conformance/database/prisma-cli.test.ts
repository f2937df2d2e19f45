/**
 * Prisma's command line with prisma.config.ts, which names the schema engine's build from npm, and with the configuration that
 * docs/databases.md has for the package. The commands have a proxy that refuses every connection in place of a network.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bundledMigrations } from '../../../src/database/drivers/bundled-migrations.js';
import { migratePostgresql } from '../../../src/features/migrations/postgresql.js';
import { migrateSqlite } from '../../../src/features/migrations/sqlite.js';
import { parseDatabaseUrl } from '../../../src/database/connection/database-url.js';
import { programsOf, readDocument } from '../../context/docs/docs-examples.js';
import { PROJECT } from '../../package/packed.js';
import { run } from '../../package/run.js';
import { startPostgresql, type EmbeddedPostgresql } from '../../support/database/embedded-postgresql.js';
import { freePort } from '../../support/server/free-port.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const CLI = join(PROJECT, 'node_modules/prisma/build/index.js');
const URLS = {
  sqlite: 'file:./data/parley.db',
  postgresql: 'postgresql://parley@127.0.0.1:1/parley?schema=chats&connection_limit=5',
  sqlserver: 'sqlserver://127.0.0.1:1;database=parley;user=parley;password={s;cret}',
} as const;
const providers = Object.keys(URLS) as (keyof typeof URLS)[];

const OFFLINE = { CHECKPOINT_DISABLE: '1', HTTPS_PROXY: 'http://127.0.0.1:1', HTTP_PROXY: 'http://127.0.0.1:1' };
/** `validate` and `generate` only check that the engine exists: docs/databases.md. */
const ANY_FILE = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };

async function prisma(command: string, url: string, folder = PROJECT, more: Record<string, string> = {}) {
  const env = { ...OFFLINE, ...more, DATABASE_URL: url };
  const { code, stdout, stderr } = await run(process.execPath, [CLI, ...command.split(' ')], folder, env);
  return { code, printed: stdout + stderr };
}

test.each(providers)('prisma validate checks the schema of %s', async (provider) => {
  const more = provider === 'sqlserver' ? ANY_FILE : {};
  const { code, printed } = await prisma('validate', URLS[provider], PROJECT, more);
  expect(printed).toContain(`The schema at prisma/schema.${provider}.prisma is valid`);
  expect(code).toBe(0);
});

test('a DATABASE_URL of another database is refused with the expected form', async () => {
  const { code, printed } = await prisma('validate', 'mysql://127.0.0.1/parley');
  expect(printed).toContain('DATABASE_URL must begin with file:, postgresql:// or sqlserver://');
  expect(code).toBe(1);
});

test.each(providers)('with the installed package, prisma generate writes a client of %s', async (provider) => {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/parley/prisma');
  cpSync(join(PROJECT, 'prisma'), installed, { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules/prisma'), join(folder, 'node_modules/prisma'));
  const config = programsOf(readDocument('docs/databases.md')).get('prisma.config.ts')!;
  writeFileSync(join(folder, 'prisma.config.ts'), config.replaceAll('postgresql', provider));
  const { code, printed } = await prisma('generate', URLS[provider], folder, ANY_FILE);
  expect(printed).toContain('Generated Prisma Client');
  expect(code).toBe(0);
});

describe('migrations', () => {
  let server: EmbeddedPostgresql;
  beforeAll(async () => {
    server = await startPostgresql();
  });
  afterAll(() => server.remove());

  /** The URL of a missing database. */
  function newUrl(provider: 'sqlite' | 'postgresql'): string {
    return provider === 'sqlite'
      ? `file:${join(temporaryFolder(), 'parley.db')}`
      : `${server.url}?schema=test_${randomBytes(4).toString('hex')}`;
  }
  function migrate(url: string) {
    const parsed = parseDatabaseUrl(url);
    return parsed.provider === 'sqlite' ? migrateSqlite(parsed.path) : migratePostgresql(parsed);
  }

  test.each(['sqlite', 'postgresql'] as const)('of Parley are applied for Prisma on %s', async (provider) => {
    const url = newUrl(provider);
    await migrate(url);
    const status = await prisma('migrate status', url);
    expect(status.printed).toContain('Database schema is up to date!');
    const deploy = await prisma('migrate deploy', url);
    expect(deploy.printed).toContain('No pending migrations to apply.');
    expect([status.code, deploy.code]).toEqual([0, 0]);
  });

  test.each(['sqlite', 'postgresql'] as const)('of Prisma are applied for Parley on %s', async (provider) => {
    const url = newUrl(provider);
    const { code, printed } = await prisma('migrate deploy', url);
    for (const { name } of bundledMigrations(provider)) expect(printed).toContain(`${name}/`);
    expect(code).toBe(0);
    expect((await migrate(url)).applied).toEqual([]);
  });

  test.each(['sqlite', 'postgresql'] as const)('prisma db pull --print prints the models of %s', async (provider) => {
    const url = newUrl(provider);
    await migrate(url);
    const { code, printed } = await prisma('db pull --print', url);
    for (const model of ['Chat', 'Message', 'Branch', 'Checkpoint']) expect(printed).toContain(`model ${model} {`);
    expect(code).toBe(0);
  });

  test.each(['sqlite', 'postgresql'] as const)('prisma studio reads chats of %s', async (provider) => {
    const url = newUrl(provider);
    await migrate(url);
    const port = await freePort();
    const args = [CLI, 'studio', '--browser', 'none', '--port', String(port)];
    const env = { ...process.env, ...OFFLINE, DATABASE_URL: url };
    const studio = spawn(process.execPath, args, { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void studio.kill());
    for await (const chunk of studio.stdout) if (String(chunk).includes('Prisma Studio is running')) break;
    const origin = `http://localhost:${port}`;
    expect(await (await fetch(origin)).text()).toContain('/studio.js');
    const parsed = parseDatabaseUrl(url);
    const table = parsed.provider === 'sqlite' ? '"chats"' : `"${parsed.schema}"."chats"`;
    const query = { sql: `SELECT COUNT(*) AS "total" FROM ${table}`, parameters: [] };
    const answer = await fetch(`${origin}/bff`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ procedure: 'query', query }),
    });
    expect([answer.status, JSON.stringify(await answer.json())]).toEqual([200, expect.stringContaining('"total"')]);
  });

  test('prisma studio refuses SQL Server with the reason', async () => {
    const { code, printed } = await prisma('studio', URLS.sqlserver, PROJECT, ANY_FILE);
    expect(printed).toContain('Prisma Studio is not supported for the "sqlserver" protocol');
    expect(code).toBe(1);
  });
});
