/** Migrations of a schema that is in the distributed form already. */
import type pg from 'pg';
import { bundledMigrations, type Migration } from '../../../src/database/drivers/bundled-migrations.js';

const BUNDLED = bundledMigrations('postgresql');

/** Those of the first version with a distributed form. */
export const BEFORE = BUNDLED.filter(({ name }) => name < '0016');

/** Tables with keys of every kind, below chats and not, and columns and indexes of others. */
const ADDED: Migration = {
  name: '9999_added',
  sql: `
    CREATE TABLE "added_rows" (
      "chatId" TEXT COLLATE "C" NOT NULL,
      "id" SERIAL NOT NULL,
      "messageId" TEXT COLLATE "C",
      "fileId" TEXT COLLATE "C",
      "token" TEXT,
      CONSTRAINT "added_rows_pkey" PRIMARY KEY ("id"),
      CONSTRAINT "added_rows_chatId_fkey" FOREIGN KEY ("chatId") REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
      CONSTRAINT "added_rows_messageId_fkey" FOREIGN KEY ("chatId", "messageId") REFERENCES "messages" ("chatId", "id"),
      CONSTRAINT "added_rows_fileId_fkey" FOREIGN KEY ("fileId") REFERENCES "files" ("id")
    );
    CREATE UNIQUE INDEX "added_rows_token_key" ON "added_rows"("token") WHERE "token" <> '';
    CREATE TABLE "added_counts" (
      "chatId" TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES "chats" ("id") ON DELETE CASCADE ON UPDATE CASCADE
    );
    CREATE TABLE "added_users" ("userId" TEXT COLLATE "C" NOT NULL PRIMARY KEY);
    ALTER TABLE "chats" ADD COLUMN "added" BIGINT;
    ALTER TABLE "files" ADD COLUMN "added" TEXT;
    CREATE INDEX "messages_added_idx" ON "messages"("createdAt");`,
};

const BUILT: Migration = {
  name: '9999_built',
  sql: 'CREATE INDEX CONCURRENTLY "messages_built" ON "messages"("name");',
};

export const ALL = [...BUNDLED, ADDED, BUILT];

/** The columns, constraints and unnamed indexes of the tables on the search path of a client, without partitions. */
export async function formOf(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ definition: string }>(`
    WITH tables AS (
      SELECT oid, relname FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    )
    SELECT t.relname || '.' || a.attname || ' ' || format_type(a.atttypid, NULL) || a.attidentity::text AS definition
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0
    UNION ALL
    SELECT t.relname || ' ' || pg_get_constraintdef(c.oid)
    FROM tables t JOIN pg_constraint c ON c.conrelid = t.oid AND c.conparentid = 0
    UNION ALL
    SELECT regexp_replace(pg_get_indexdef(x.indexrelid), 'INDEX .* ON .*\\.', 'INDEX ON ') || ' ' || x.indisvalid
    FROM tables t JOIN pg_index x ON x.indrelid = t.oid
    ORDER BY 1`);
  return rows.map(({ definition }) => definition);
}
