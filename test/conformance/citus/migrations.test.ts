/** Migrations of a schema that is distributed already. */
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { distribute } from '../../../src/features/distribution/distribute.js';
import { migratePostgresql } from '../../../src/features/migrations/postgresql.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { ALL, BEFORE, formOf } from '../../features/distribution/later-migrations.js';
import { persistentDatabase } from '../../support/database/temporary-database.js';

async function newSchema(): Promise<{ url: ServerUrl; client: pg.Client }> {
  const { url, remove } = persistentDatabase();
  const parsed = parseDatabaseUrl(url) as ServerUrl;
  const client = new pg.Client(postgresqlSettings(parsed));
  await client.connect();
  onTestFinished(() => client.end().then(remove));
  return { url: parsed, client };
}

/** How Citus distributes the tables on the search path of a client. */
async function placement(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ placement: string }>(`
    SELECT concat_ws(' ', t.relname, p.partmethod, p.repmodel, column_to_column_name(p.logicalrelid, p.partkey),
      p.colocationid = (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = 'chats'::regclass)) AS placement
    FROM pg_dist_partition p JOIN pg_class t ON t.oid = p.logicalrelid
    WHERE t.relnamespace = current_schema()::regnamespace AND (p.partmethod = 'h' OR p.repmodel = 't') ORDER BY 1`);
  return rows.map((row) => row.placement);
}

it('later migrations lead to the same form as a distribution after them, and keep rows', async () => {
  const [early, late] = [await newSchema(), await newSchema()];
  await migratePostgresql(early.url, BEFORE);
  expect(await distribute(early.url)).toBe(true);
  const { client } = early;
  for (const id of ['a', 'b', 'c']) {
    await client.query(
      `INSERT INTO chats ("id", "userId", "createdAt", "updatedAt", "version", "metadata") VALUES ($1, 'u', 0, 0, 0, '{}')`,
      [id],
    );
  }
  await migratePostgresql(early.url, ALL);
  expect(await distribute(early.url)).toBe(false);

  await migratePostgresql(late.url, ALL);
  await distribute(late.url);
  expect(await formOf(client)).toEqual(await formOf(late.client));
  expect(await placement(client)).toEqual(await placement(late.client));

  await client.query(`INSERT INTO added_rows ("chatId", "token") VALUES ('a', 'x'), ('b', 'y')`);
  await client.query(`DELETE FROM chats WHERE "id" = 'a'`);
  const { rows } = await client.query('SELECT "chatId", "token" FROM added_rows');
  expect(rows).toEqual([{ chatId: 'b', token: 'y' }]);
  await expect(client.query(`INSERT INTO added_counts VALUES ('missing')`)).rejects.toThrow(/foreign key/);
});
