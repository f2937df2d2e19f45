/**
 * The configuration of Prisma's command line, for the database that DATABASE_URL names. docs/databases.md describes its
 * commands.
 */
import { resolve } from 'node:path';
import { defineConfig } from 'prisma/config';
import { writeSchema } from './scripts/prisma/render-schema.mjs';
import { parseDatabaseUrl, type DatabaseUrl } from './src/database/connection/database-url.js';

const url = process.env['DATABASE_URL'] ?? 'file:./data/parley.db';
const database = parse(url);

// Otherwise every command downloads an engine. Windows cannot start the script, and the build from npm lacks SQL Server.
if (database.provider !== 'sqlserver' && process.platform !== 'win32') {
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= resolve('scripts/prisma/schema-engine.mjs');
}

export default defineConfig({
  schema: writeSchema(database.provider),
  migrations: { path: `prisma/migrations/${database.provider}` },
  datasource: { url: database.provider === 'sqlite' ? fileUrl(database.path) : url },
});

function parse(text: string): DatabaseUrl {
  try {
    return parseDatabaseUrl(text);
  } catch (error) {
    throw new Error(`DATABASE_URL ${(error as Error).message}`, { cause: error });
  }
}

/** Relative paths start at the working directory, as in DATABASE_URL. Prisma Studio requires the slashes, which Windows does not read. */
function fileUrl(path: string): string {
  return `file:${process.platform === 'win32' ? '' : '//'}${resolve(path)}`;
}
