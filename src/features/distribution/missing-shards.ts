/** The shards of chats that workers of Citus lack, or cannot serve because they do not respond. */
import sql from 'sql-template-tag';
import type { Connection } from '../../database/connection/connection.js';

/** The shards of one worker. */
interface Shards {
  worker: string;
  total: number;
  missing: number;
}

/** One line for each worker with missing shards: their chats fail, all others work. */
export async function missingShards(read: Connection['read']): Promise<string[]> {
  const rows = await read(async (db) => {
    const [citus] = await db.rows<{ isThere: boolean }>(
      sql`SELECT to_regclass('pg_catalog.pg_dist_shard') IS NOT NULL AS "isThere"`,
    );
    if (citus?.isThere !== true) return [];
    return db.rows<Shards>(sql`
      SELECT w.nodename || ':' || w.nodeport AS "worker", s.total::int AS "total",
        CASE WHEN w.success THEN s.total - w.result::int ELSE s.total END::int AS "missing"
      FROM run_command_on_workers(format(
        'SELECT count(*) FROM pg_tables WHERE schemaname = %L AND tablename ~ ''^chats_[0-9]+$''', current_schema()
      )) w
      JOIN pg_dist_node n ON n.nodename = w.nodename AND n.nodeport = w.nodeport
      CROSS JOIN LATERAL (
        SELECT count(*) AS total FROM pg_dist_placement p JOIN pg_dist_shard d ON d.shardid = p.shardid
        WHERE d.logicalrelid = 'chats'::regclass AND p.groupid = n.groupid
      ) s`);
  });
  return rows.flatMap(({ worker, total, missing }) =>
    missing <= 0 ? [] : [`${missing} of the ${total} shards of chats on the worker ${worker} are missing`],
  );
}
