/** The project's migrations in prisma/migrations. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Provider } from '../connection/database-url.js';

export interface Migration {
  name: string;
  sql: string;
}

/** In order. */
export function bundledMigrations(provider: Provider): Migration[] {
  const folder = fileURLToPath(new URL(`../../../prisma/migrations/${provider}/`, import.meta.url));
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name, 'migration.sql'), 'utf8') }));
}

/** In Prisma's format. */
export function checksum({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex');
}
