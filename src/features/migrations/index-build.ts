/**
 * Builds an index of PostgreSQL beside the writes of servers. A build that was interrupted leaves an invalid index, which
 * is dropped and built again. The caller holds the lock of migrations on another connection.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { postgresqlSettings } from '../../database/drivers/postgresql.js';
import { cancel } from '../../database/drivers/postgresql-cancel.js';
import type { ServerUrl } from '../../database/connection/database-url.js';

/** Between two reads of the progress of a build. */
const POLL_INTERVAL_MS = 200;

interface IndexBuild {
  /** Its only statement is CREATE INDEX CONCURRENTLY. */
  statement: string;
  index: string;
  signal: AbortSignal | undefined;
  onPercent: (percent: number) => void;
}

/** @throws the signal's reason, or the error of the database */
export async function buildIndex(url: ServerUrl, { statement, index, signal, onPercent }: IndexBuild): Promise<void> {
  const [builder, watcher] = [newClient(url), newClient(url)];
  const leave = () => cancel(builder);
  try {
    for (const client of [builder, watcher]) await connect(client, url);
    signal?.addEventListener('abort', leave);
    // PostgreSQL continues the build of a killed process for a while.
    while ((await readPercent(watcher, index)) !== null) await pause(POLL_INTERVAL_MS, undefined, { signal });
    if ((await stateOf(watcher, index)) === 'valid') return;
    await dropInvalid(builder, index);
    // An abort cancels only a statement that runs.
    signal?.throwIfAborted();
    const built = builder.query(statement);
    // It may fail while the watcher reads.
    built.catch(() => {});
    while ((await Promise.race([built, pause(POLL_INTERVAL_MS, null)])) === null) {
      const percent = await readPercent(watcher, index);
      if (percent !== null) onPercent(percent);
    }
  } catch (error) {
    // Without a connection, the next process drops it.
    await dropInvalid(watcher, index).catch(() => {});
    throw error;
  } finally {
    signal?.removeEventListener('abort', leave);
    await Promise.all([builder.end(), watcher.end()]);
  }
}

/** Saves would maintain an invalid index, which no read uses. */
async function dropInvalid(client: pg.Client, index: string): Promise<void> {
  if ((await stateOf(client, index)) === 'invalid') await client.query(`DROP INDEX CONCURRENTLY "${index}"`);
}

function newClient(url: ServerUrl): pg.Client {
  const client = new pg.Client(postgresqlSettings(url));
  client.on('error', () => {});
  return client;
}

async function connect(client: pg.Client, url: ServerUrl): Promise<void> {
  await client.connect();
  await client.query(`SET search_path = "${url.schema}"`);
  // The statement ends soon after its process; servers before version 14 lack the setting.
  await client.query(
    `SELECT set_config(name, '1s', false) FROM pg_settings WHERE name = 'client_connection_check_interval'`,
  );
}

/** The part of a running build; null if none runs. */
async function readPercent(client: pg.Client, index: string): Promise<number | null> {
  const { rows } = await client.query<{ percent: number }>(
    `SELECT CASE WHEN blocks_total = 0 THEN 0 ELSE (100 * blocks_done / blocks_total)::INT END AS percent
     FROM pg_stat_progress_create_index
     WHERE command = 'CREATE INDEX CONCURRENTLY' AND index_relid = to_regclass(quote_ident($1))`,
    [index],
  );
  return rows[0]?.percent ?? null;
}

async function stateOf(client: pg.Client, index: string): Promise<'valid' | 'invalid' | 'missing'> {
  const { rows } = await client.query<{ isValid: boolean }>(
    `SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1))`,
    [index],
  );
  return rows[0] === undefined ? 'missing' : rows[0].isValid ? 'valid' : 'invalid';
}
