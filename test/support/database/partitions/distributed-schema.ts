/** Schemas in the distributed form, for the tests of all forms. */
import pg from 'pg';
import { inject } from 'vitest';
import { distribute } from '../../../../src/database/migrations/distribute.js';
import { distributedForm } from '../../../../src/database/migrations/distributed-form.js';
import { postgresqlSettings } from '../../../../src/database/opening/connections/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../../src/database/opening/database-url.js';
import { connect } from '../../../../src/database/opening/open.js';

const PARTITIONS = 8;

/** Creates a schema in the form of `distributedForm`. */
export async function migrateAndDistribute(url: string): Promise<void> {
  await (await connect(url, { migrate: true })).connection.close();
  const parsed = parseDatabaseUrl(url) as ServerUrl;
  if (inject('distributedForm') === 'citus') {
    await distribute(parsed);
    return;
  }
  const client = new pg.Client(postgresqlSettings(parsed));
  await client.connect();
  await partitionSchema(client, parsed.schema).finally(() => client.end());
}

/** Partitions the empty tables of a migrated schema that have no partitions. The search path of the client is this schema. */
export async function partitionSchema(client: pg.ClientBase, schema: string): Promise<void> {
  const partitioned = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'p' AND relnamespace = $1::regnamespace`,
    [schema],
  );
  const { tables, keys, references } = await distributedForm(
    (text, values) => client.query<object>(text, values && [...values]),
    schema,
    new Set(partitioned.rows.map(({ name }) => name)),
  );
  const partitions = tables.flatMap(({ name, chat }) => [
    `ALTER TABLE "${name}" RENAME TO "${name}_plain"`,
    `CREATE TABLE "${name}" (LIKE "${name}_plain" INCLUDING ALL) PARTITION BY HASH ("${chat}")`,
    ...Array.from(
      { length: PARTITIONS },
      (_, n) =>
        `CREATE TABLE "${name}_${n}" PARTITION OF "${name}" FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${n})`,
    ),
    `DROP TABLE "${name}_plain"`,
  ]);
  await client.query([...keys, ...partitions, ...references].join(';\n'));
}
