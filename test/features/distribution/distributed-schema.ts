/** Schemas in the distributed form, for the tests of all forms. */
import pg from 'pg';
import type { Sql } from 'sql-template-tag';
import { inject } from 'vitest';
import { postgresqlInShards } from '../../../src/features/distribution/in-shards.js';
import { UserChatTable } from '../../../src/features/distribution/user-chats.js';
import { distribute } from '../../../src/features/distribution/distribute.js';
import { distributedForm, TABLES_OF_FORM } from '../../../src/features/distribution/distributed-form.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { connect } from '../../../src/database/opening/open.js';

const PARTITIONS = 8;

/** Creates a schema in the form of `distributedForm`. */
export async function migrateAndDistribute(url: string): Promise<void> {
  await (await connect(url, { migrate: true })).connection.close();
  const parsed = parseDatabaseUrl(url) as ServerUrl;
  const isOnCitus = inject('distributedForm') === 'citus';
  if (isOnCitus) await distribute(parsed);
  const client = new pg.Client(postgresqlSettings(parsed));
  await client.connect();
  try {
    if (!isOnCitus) await partitionSchema(client, parsed.schema);
    await completeUserChats(client);
  } finally {
    await client.end();
  }
}

/** Lets lists of users read copies of all chats, as after the first sweep of a server. */
export async function completeUserChats(client: pg.ClientBase): Promise<void> {
  const table = new UserChatTable({
    rows: async <T extends object>({ text, values }: Sql) => (await client.query<T>(text, [...values])).rows,
    run: async ({ text, values }) => (await client.query(text, [...values])).rowCount ?? 0,
  });
  await table.sweep(postgresqlInShards(), new AbortController().signal);
}

/** Partitions the empty tables of a migrated schema that have no partitions. The search path of the client is this schema. */
export async function partitionSchema(client: pg.ClientBase, schema: string): Promise<void> {
  const partitioned = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'p' AND relnamespace = $1::regnamespace`,
    [schema],
  );
  const { tables, keys, references } = await distributedForm(
    client,
    schema,
    new Set(partitioned.rows.map(({ name }) => name)),
  );
  const partitions = tables.flatMap(({ name, chat }) => partitionBy(name, chat));
  const ofForm = partitioned.rows.length > 0 ? [] : TABLES_OF_FORM;
  const own = ofForm.flatMap(({ name, column, statements }) => [...statements, ...partitionBy(name, column)]);
  await client.query([...keys, ...partitions, ...references, ...own].join(';\n'));
}

function partitionBy(table: string, column: string): string[] {
  return [
    `ALTER TABLE "${table}" RENAME TO "${table}_plain"`,
    `CREATE TABLE "${table}" (LIKE "${table}_plain" INCLUDING ALL) PARTITION BY HASH ("${column}")`,
    ...Array.from(
      { length: PARTITIONS },
      (_, n) =>
        `CREATE TABLE "${table}_${n}" PARTITION OF "${table}" FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${n})`,
    ),
    `DROP TABLE "${table}_plain"`,
  ];
}
