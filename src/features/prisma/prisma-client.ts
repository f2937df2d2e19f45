/** Opens Prisma's generated client for reading, over the driver adapter of the database. */
import { postgresqlSettings } from '../../database/drivers/postgresql.js';
import { sqlServerSettings } from '../../database/drivers/sqlserver-settings.js';
import { IN_MEMORY, parseDatabaseUrl, type ServerUrl } from '../../database/connection/database-url.js';
import { loadOptional } from '../../system/optional-package.js';
import { readOnly, type PrismaReader } from './prisma-reader.js';

/** Applies to every transaction of the sessions that have it. */
const READ_ONLY_SESSION = '-c default_transaction_read_only=on';

/**
 * Opens a read-only Prisma client for Parley's database, which must be migrated. It connects with the first query;
 * `$disconnect` closes its connections.
 *
 * SQLite and PostgreSQL also reject writes in raw queries. SQL Server and PostgreSQL URLs with `options=` have no read-only
 * sessions: raw queries are rejected there.
 * @param url as in DATABASE_URL: `file:` and the path of an existing file, `postgresql://` or `sqlserver://`
 * @throws Error for a malformed URL, for `:memory:`, and when a package is missing, with the command that installs it
 */
export async function prismaClient(url: string): Promise<PrismaReader> {
  const database = parseDatabaseUrl(url);
  switch (database.provider) {
    case 'sqlite':
      return sqliteClient(database.path);
    case 'postgresql':
      return postgresqlClient(database);
    case 'sqlserver':
      return sqlServerClient(database);
  }
}

async function sqliteClient(path: string): Promise<PrismaReader> {
  if (path === IN_MEMORY) throw new Error('parley/prisma cannot open :memory:, which only its own process can read');
  const [{ PrismaClient }, { PrismaBetterSqlite3 }] = await load(
    () => Promise.all([import('../../generated/sqlite/client.js'), import('@prisma/adapter-better-sqlite3')]),
    '@prisma/adapter-better-sqlite3',
  );
  const adapter = new PrismaBetterSqlite3({ url: `file:${path}`, readonly: true, fileMustExist: true });
  return readOnly(new PrismaClient({ adapter }), true);
}

async function postgresqlClient(url: ServerUrl): Promise<PrismaReader> {
  const [{ PrismaClient }, { PrismaPg }] = await load(
    () => Promise.all([import('../../generated/postgresql/client.js'), import('@prisma/adapter-pg')]),
    '@prisma/adapter-pg',
  );
  const settings = postgresqlSettings({
    ...url,
    options: url.options === null ? null : `${url.options} ${READ_ONLY_SESSION}`,
  });
  const adapter = new PrismaPg({ ...settings, max: url.connectionLimit }, { schema: url.schema });
  const client = new PrismaClient({ adapter }).$extends({
    result: {
      chat: {
        // A JSON column here, and text on the other databases.
        metadata: { needs: { metadata: true }, compute: ({ metadata }) => JSON.stringify(metadata) },
      },
    },
  });
  return readOnly(client, url.options !== null);
}

async function sqlServerClient(url: ServerUrl): Promise<PrismaReader> {
  const [{ PrismaClient }, { PrismaMssql }] = await load(
    () => Promise.all([import('../../generated/sqlserver/client.js'), import('@prisma/adapter-mssql')]),
    '@prisma/adapter-mssql',
  );
  const settings = sqlServerSettings(url, { connectionLimit: url.connectionLimit });
  const adapter = new PrismaMssql(settings, { schema: url.schema });
  return readOnly(new PrismaClient({ adapter }), false);
}

function load<Modules>(loadAll: () => Promise<Modules>, adapter: string): Promise<Modules> {
  return loadOptional('parley/prisma', loadAll, ['@prisma/client', adapter]);
}
