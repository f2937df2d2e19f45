/** A PostgreSQL schema in the distributed form on hash partitions, which stand for the shards of Citus. */
import pg from 'pg';
import { distributedForm } from '../../../../src/database/migrations/distributed-form.js';
import { postgresqlSettings } from '../../../../src/database/opening/connections/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../../src/database/opening/database-url.js';
import { openDatabase } from '../../../../src/database/opening/open.js';
import { persistentDatabase } from '../temporary-database.js';

const PARTITIONS = 8;

/** A new database with partitions. */
export interface PartitionedDatabase {
  readonly url: string;
  /** Connected as a superuser. */
  readonly client: pg.Client;
  remove(): Promise<void>;
}

/** For `beforeAll`; the caller removes it. */
export async function partitionedDatabase(): Promise<PartitionedDatabase> {
  const { url, remove } = persistentDatabase();
  await (await openDatabase({ url, migrate: true })).store.close();
  const parsed = parseDatabaseUrl(url) as ServerUrl;
  const client = new pg.Client(postgresqlSettings(parsed));
  await client.connect();
  await partitionSchema(client, parsed.schema);
  return { url, client, remove: () => client.end().then(remove) };
}

/** Partitions the empty tables of a migrated schema. The search path of the client is this schema. */
export async function partitionSchema(client: pg.ClientBase, schema: string): Promise<void> {
  const { tables, keys, references } = await distributedForm(
    (text, values) => client.query<object>(text, values && [...values]),
    schema,
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

interface Plan {
  'Relation Name'?: string;
  /** Absent without ANALYZE. */
  'Actual Loops'?: number;
  Plans?: Plan[];
}

const PARTITION = /^(.+)_(\d)$/;

/** The partitions that a plan reads, or has read, by number. */
function partitionsOf(plan: Plan): number[] {
  const below = (plan.Plans ?? []).flatMap(partitionsOf);
  const [, , partition] = PARTITION.exec(plan['Relation Name'] ?? '') ?? [];
  return partition === undefined || plan['Actual Loops'] === 0 ? below : [Number(partition), ...below];
}

/**
 * The numbers of the partitions that a statement may touch. Planning decides that, as on a coordinator: partitions that
 * PostgreSQL skips while it executes a statement count.
 */
export async function touchedPartitions(
  client: pg.ClientBase,
  { text, values }: { text: string; values: readonly unknown[] },
): Promise<Set<number>> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (FORMAT JSON) ${text}`, [...values]);
  return new Set(partitionsOf(rows[0]!['QUERY PLAN'][0].Plan));
}
