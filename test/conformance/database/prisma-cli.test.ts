/**
 * Prisma's command line with prisma.config.ts, and with the configuration that docs/databases.md has for the package.
 * Its schema engine is a download; schema-engine.mjs runs the build of it from npm, which lacks SQL Server.
 */
import { randomBytes } from 'node:crypto';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundledMigrations } from '../../../src/database/drivers/bundled-migrations.js';
import { migratePostgresql } from '../../../src/database/migrations/postgresql.js';
import { migrateSqlite } from '../../../src/database/migrations/sqlite.js';
import { parseDatabaseUrl } from '../../../src/database/connection/database-url.js';
import { programsOf, readDocument } from '../../context/docs/docs-examples.js';
import { PROJECT } from '../../package/packed.js';
import { run } from '../../package/run.js';
import { startPostgresql, type EmbeddedPostgresql } from '../../support/database/embedded-postgresql.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const CLI = join(PROJECT, 'node_modules/prisma/build/index.js');
const ENGINE = join(PROJECT, 'test/conformance/database/schema-engine.mjs');
const URLS = {
  sqlite: 'file:./data/parley.db',
  postgresql: 'postgresql://parley@127.0.0.1:1/parley?schema=chats&connection_limit=5',
  sqlserver: 'sqlserver://127.0.0.1:1;database=parley;user=parley;password={s;cret}',
} as const;
const providers = Object.keys(URLS) as (keyof typeof URLS)[];

/** Runs a command. `validate` and `generate` check that the engine exists, without running it. */
async function prisma(command: string, url: string, folder = PROJECT) {
  const env = { DATABASE_URL: url, PRISMA_SCHEMA_ENGINE_BINARY: ENGINE, CHECKPOINT_DISABLE: '1' };
  const { code, stdout, stderr } = await run(process.execPath, [CLI, ...command.split(' ')], folder, env);
  return { code, printed: stdout + stderr };
}

test.each(providers)('prisma validate checks the schema of %s', async (provider) => {
  const { code, printed } = await prisma('validate', URLS[provider]);
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
  const { code, printed } = await prisma('generate', URLS[provider], folder);
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
});
