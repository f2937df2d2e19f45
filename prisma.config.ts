/**
 * The configuration of Prisma's command line, for the database that DATABASE_URL names. docs/databases.md describes its
 * commands.
 */
import { resolve } from 'node:path';
import { defineConfig } from 'prisma/config';
import { writeSchema } from './scripts/render-schema.mjs';
import { parseDatabaseUrl, type DatabaseUrl } from './src/database/connection/database-url.js';

const url = process.env['DATABASE_URL'] ?? 'file:./data/parley.db';
const database = parse(url);

export default defineConfig({
  schema: writeSchema(database.provider),
  migrations: { path: `prisma/migrations/${database.provider}` },
  // Paths of SQLite files are relative to the working directory, as in DATABASE_URL.
  datasource: { url: database.provider === 'sqlite' ? `file:${resolve(database.path)}` : url },
});

function parse(text: string): DatabaseUrl {
  try {
    return parseDatabaseUrl(text);
  } catch (error) {
    throw new Error(`DATABASE_URL ${(error as Error).message}`, { cause: error });
  }
}
