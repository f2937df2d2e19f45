/** Distributes the empty tables of a PostgreSQL schema over the workers of Citus: see docs/scale.md. */
import pg from 'pg';
import { postgresqlSettings } from '../opening/connections/postgresql.js';
import type { ServerUrl } from '../opening/database-url.js';
import { distributedForm, IN_SEQUENCE } from './distributed-form.js';

/** Tables that statements join with those of chats, or that these reference: each worker has a copy. */
const REFERENCE_TABLES = ['files', 'user_files', 'search_index', 'legal_holds', 'user_retention'];
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
  return withClient(url, (client) => distributeTables(client, url.schema));
}

async function withClient<T>(url: ServerUrl, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(postgresqlSettings(url));
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    // Without a COMMIT, everything is rolled back.
    await client.end();
  }
}

async function distributeTables(client: pg.Client, schema: string): Promise<boolean> {
  const run = (text: string, values: readonly unknown[] = []) => client.query<{ name: string }>(text, [...values]);
  await run('BEGIN');
  await run(IN_SEQUENCE);
  if ((await run(`SELECT 1 FROM pg_dist_partition WHERE logicalrelid = '"chats"'::regclass`)).rowCount !== 0)
    return false;
  await requireEmptyTables(run, schema);
  const { tables, keys, references } = await distributedForm(run, schema);
  for (const statement of keys) await run(statement);
  for (const name of REFERENCE_TABLES) await run('SELECT create_reference_table($1)', [`"${name}"`]);
  for (const { name, chat } of tables) {
    await run('SELECT create_distributed_table($1, $2, colocate_with => $3)', [
      `"${name}"`,
      chat,
      name === 'chats' ? 'none' : 'chats',
    ]);
  }
  for (const statement of references) await run(statement);
  await run(`SELECT create_distributed_table('id_directory', 'id', colocate_with => 'none')`);
  await run('COMMIT');
  return true;
}

async function requireEmptyTables(
  run: (text: string, values?: readonly unknown[]) => Promise<pg.QueryResult<{ name: string }>>,
  schema: string,
): Promise<void> {
  const tables = await run('SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename <> ALL ($2)', [
    schema,
    TABLES_OF_SCHEMA,
  ]);
  for (const { name } of tables.rows) {
    const { rowCount } = await run(`SELECT 1 AS name FROM "${name}" LIMIT 1`);
    if (rowCount !== 0) {
      throw new Error(
        `--distribute needs an empty schema, and "${name}" has rows: distribute a new schema, then run npm run copy`,
      );
    }
  }
}
