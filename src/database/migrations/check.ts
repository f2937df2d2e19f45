import { raw, sqltag as sql } from '@prisma/client/runtime/client';
import type { Connection } from '../connection.js';
import type { DatabaseUrl } from '../database-url.js';
import { bundledMigrations } from './bundled.js';
import { missingMigrations } from './history.js';

interface Row {
  name: string;
  checksum: string;
  finished: number | bigint;
}

/**
 * Looks whether a database has exactly the migrations of this version.
 * @throws Error when it is behind, which says what brings it up to date, or ahead
 */
export async function checkMigrations(url: DatabaseUrl, { sql: dialect, read }: Connection): Promise<void> {
  // With its schema, so that one that may not be used is not taken for one without the table.
  const table = raw(`${url.provider === 'sqlite' ? '' : `"${url.schema}".`}"_prisma_migrations"`);
  const rows = await read((client) =>
    client.$queryRaw<Row[]>(sql`
      SELECT "migration_name" AS "name", "checksum" AS "checksum",
        CASE WHEN "finished_at" IS NULL THEN 0 ELSE 1 END AS "finished"
      FROM ${table} WHERE "rolled_back_at" IS NULL ORDER BY "migration_name"`),
  ).catch((error: unknown) => {
    if (dialect.failure(error) === 'no table') return [];
    throw error;
  });
  const applied = rows.map(({ finished, ...row }) => ({ ...row, isFinished: Number(finished) === 1 }));
  const missing = missingMigrations(applied, bundledMigrations(url.provider)).map((migration) => migration.name);
  if (missing.length === 0) return;
  throw new Error(
    `it lacks the migrations ${missing.join(', ')}; run \`npm run migrate\`, or start with MIGRATE_ON_START=true`,
  );
}
