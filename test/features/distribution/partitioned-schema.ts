/** A PostgreSQL schema in the distributed form on hash partitions, which stand for the shards of Citus. */
import pg from 'pg';
import { runsOf } from '../../../src/database/dialects/postgresql/runs.js';
import { postgresqlSettings } from '../../../src/database/drivers/postgresql.js';
import { parseDatabaseUrl, type ServerUrl } from '../../../src/database/connection/database-url.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { persistentDatabase } from '../../support/database/temporary-database.js';
import { partitionSchema } from './distributed-schema.js';

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
  const touched = new Set<number>();
  for (const run of runsOf(values)) {
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (FORMAT JSON) ${text}`, run);
    for (const partition of partitionsOf(rows[0]!['QUERY PLAN'][0].Plan)) touched.add(partition);
  }
  return touched;
}
