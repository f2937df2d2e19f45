import { existsSync } from 'node:fs';
import { IN_MEMORY, parseDatabaseUrl } from '../database/connection/database-url.js';

/**
 * The database as shown to people, for a command that has nothing to do in a new one.
 * @throws Error of one line when it does not exist: SQLite would create the file
 */
export function existingDatabase(url: string): string {
  const parsed = parseDatabaseUrl(url);
  if (url === IN_MEMORY) throw new Error(`Cannot use the database ${parsed.shown}: it is new in each process`);
  if (parsed.provider === 'sqlite' && !existsSync(parsed.path)) {
    throw new Error(`Cannot use the database ${parsed.shown}: there is no such file`);
  }
  return parsed.shown;
}
