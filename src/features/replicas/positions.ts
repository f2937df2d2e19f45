/** Statements that compare a replica with the primary. */
import sql, { raw, type Sql } from 'sql-template-tag';
import { postgresql } from '../../database/dialects/postgresql/postgresql.js';
import type { Connection } from '../../database/connection/connection.js';

type Read = Connection['read'];

/**
 * Returns one row with `isReplayed`: whether a replica has replayed the changes.
 * @param position of the primary's write-ahead log; null for any
 * @param versions of chats, by id
 */
export function replayCheck(position: string | null, versions: ReadonlyMap<string, number>): Sql {
  const chats = sql`
    SELECT FROM unnest(${[...versions.keys()]}::text[], ${[...versions.values()]}::int[]) AS s(id, version)
    LEFT JOIN chats c ON c.id = s.id WHERE c.version IS NULL OR c.version < s.version`;
  // A promoted standby has its own changes.
  return sql`
    SELECT pg_is_in_recovery() AND (${position}::pg_lsn IS NULL OR pg_last_wal_replay_lsn() >= ${position}::pg_lsn)
      AND NOT EXISTS (${chats}) AS "isReplayed"`;
}

/**
 * A position of the primary's log: `written`, which standbys receive, or `inserted`, after all changes that are visible now,
 * also those that are not yet on its disk.
 */
export async function positionOf(read: Read, what: 'written' | 'inserted'): Promise<string> {
  const position = raw(`pg_current_wal_${what === 'written' ? '' : 'insert_'}lsn()`);
  const [row] = await read((db) => db.rows<{ position: string }>(sql`SELECT ${position}::text AS position`));
  return row?.position ?? '';
}

/** The present versions of chats, on the primary. */
export async function versionsOf(read: Read, ids: readonly string[]): Promise<{ id: string; version: number }[]> {
  return read((db) => db.rows(sql`SELECT id, version FROM chats WHERE id = ANY(${[...ids]}::text[])`));
}

/** The system identifier of a server, which its standbys share; null when the role must not read it. */
export async function systemOf(read: Read): Promise<string | null> {
  try {
    const [row] = await read((db) =>
      db.rows<{ system: string }>(sql`SELECT system_identifier::text AS system FROM pg_control_system()`),
    );
    return row?.system ?? null;
  } catch (error) {
    if (postgresql.failure(error) === 'denied') return null;
    throw error;
  }
}
