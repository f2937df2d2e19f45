/** Distributes the empty tables of a PostgreSQL schema over the workers of Citus: see docs/scale.md. */
import type pg from 'pg';
import { tablesWith } from '../../conversation/table-rules.js';
import { withClient } from '../../database/drivers/postgresql.js';
import type { ServerUrl } from '../../database/connection/database-url.js';
import { distributedForm, TABLES_OF_FORM } from './distributed-form.js';
import { CITUS_SETTINGS } from './citus-settings.js';

/** Tables with rows in a schema without content. */
const TABLES_OF_SCHEMA = ['_prisma_migrations', 'search_index'];

/** @throws Error when the database lacks Citus */
export function requireCitus(url: ServerUrl): Promise<void> {
  return withClient(url, async (client) => {
    const { rowCount } = await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`);
    if (rowCount !== 0) return;
    throw new Error(
      `--distribute needs Citus, an extension of PostgreSQL: ${url.shown} must be a database of its coordinator, after CREATE EXTENSION citus`,
    );
  });
}

/**
 * Brings the tables of a migrated schema into the distributed form, all or nothing.
 * @returns whether they were not in that form before
 * @throws Error when a table has rows
 */
export function distribute(url: ServerUrl): Promise<boolean> {
  return withClient(url, (client) => distributeSchema(client, url.schema));
}

async function distributeSchema(client: pg.Client, schema: string): Promise<boolean> {
  await client.query('BEGIN');
  await client.query(CITUS_SETTINGS);
  const isNew = !(await isDistributed(client));
  if (isNew) await requireEmptyTables(client, schema);
  await distributeTables(client, schema);
  // A later version may add a table of the form.
  for (const { name, column, statements } of TABLES_OF_FORM) {
    const { rows } = await client.query<{ isThere: boolean }>(`SELECT to_regclass('${name}') IS NOT NULL AS "isThere"`);
    if (rows[0]?.isThere === true) continue;
    for (const statement of statements) await client.query(statement);
    await client.query(`SELECT create_distributed_table('${name}', '${column}', colocate_with => 'none')`);
  }
  await client.query('COMMIT');
  return isNew;
}

/** Brings the tables that a migration has added to a distributed schema into its form, in the transaction of the migration. */
export async function distributeNewTables(client: pg.Client, schema: string): Promise<void> {
  if (await isDistributed(client)) await distributeTables(client, schema);
}

async function isDistributed(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`);
  if (rowCount === 0) return false;
  const chats = await client.query(`SELECT 1 FROM pg_dist_partition WHERE logicalrelid = '"chats"'::regclass`);
  return chats.rowCount !== 0;
}

/** Citus also lists local tables that reference shared ones. */
const DISTRIBUTED_TABLES = `
  SELECT t.relname AS "name" FROM pg_dist_partition p JOIN pg_class t ON t.oid = p.logicalrelid
  WHERE (p.partmethod = 'h' OR p.repmodel = 't') AND t.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`;

/** Distributes the tables that are not distributed yet. */
async function distributeTables(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(DISTRIBUTED_TABLES, [schema]);
  const done = new Set(rows.map(({ name }) => name));
  const { tables, keys, references } = await distributedForm(client, schema, done);
  for (const statement of keys) await client.query(statement);
  for (const name of tablesWith({ isInEachShard: true })) {
    // Null, without an effect, for a table of a later migration.
    if (!done.has(name)) await client.query('SELECT create_reference_table(to_regclass($1))', [`"${name}"`]);
  }
  for (const { name, chat } of tables) {
    const place = name === 'chats' ? 'none' : 'chats';
    await client.query('SELECT create_distributed_table($1, $2, colocate_with => $3)', [`"${name}"`, chat, place]);
  }
  for (const statement of references) await client.query(statement);
}

async function requireEmptyTables(client: pg.Client, schema: string): Promise<void> {
  const tables = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> ALL ($2)',
    [schema, TABLES_OF_SCHEMA],
  );
  for (const { name } of tables.rows) {
    const { rowCount } = await client.query(`SELECT 1 FROM "${name}" LIMIT 1`);
    if (rowCount !== 0) {
      throw new Error(
        `--distribute needs an empty schema, and "${name}" has rows: distribute a new schema, then run npm run copy`,
      );
    }
  }
}
