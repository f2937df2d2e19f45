/** Parses READ_DATABASE_URL. */
import { parseDatabaseUrl, type ServerUrl } from '../../database/connection/database-url.js';

/** The maximum number of replicas: each has its own connections. */
const MAX_REPLICAS = 8;

/**
 * The replicas of a database.
 * @throws Error with the reason, without passwords
 */
export function parseReplicaUrls(databaseUrl: string, urls: readonly string[]): ServerUrl[] {
  const replicas = urls.map(parseDatabaseUrl);
  if (replicas.length === 0) return [];
  const primary = parseDatabaseUrl(databaseUrl);
  if (primary.provider !== 'postgresql') throw new Error('must be unset without PostgreSQL in DATABASE_URL');
  if (replicas.length > MAX_REPLICAS) throw new Error(`must have at most ${MAX_REPLICAS} URLs, got ${replicas.length}`);
  return replicas.map((replica) => {
    if (replica.provider !== 'postgresql') throw new Error('must be URLs that begin with postgresql://');
    if (replica.schema !== primary.schema) throw new Error('must name the schema of DATABASE_URL');
    // Each read is checked on its connection, which a pooler may exchange between two statements.
    if (!replica.canPrepare) throw new Error('must lead to standbys directly, without a pooler (pgbouncer=true)');
    return replica;
  });
}
