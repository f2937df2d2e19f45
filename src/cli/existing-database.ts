import { existsSync } from 'node:fs';
import { IN_MEMORY, parseDatabaseUrl } from '../database/opening/database-url.js';

/**
 * The name of a database for people, for a command that finds nothing to do in a new one.
 * @throws Error of one line when there is none: a SQLite file would be made
 */
export function existingDatabase(url: string): string {
  const parsed = parseDatabaseUrl(url);
  if (url === IN_MEMORY) throw new Error(`Cannot use the database ${parsed.shown}: it is new in each process`);
  if (parsed.provider === 'sqlite' && !existsSync(parsed.path)) {
    throw new Error(`Cannot use the database ${parsed.shown}: there is no such file`);
  }
  return parsed.shown;
}
