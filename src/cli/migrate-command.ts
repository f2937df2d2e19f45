/** `npm run migrate`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { IN_MEMORY, parseDatabaseUrl } from '../database/opening/database-url.js';
import { connect } from '../database/opening/open.js';
import { messageOf } from '../message-of.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run migrate

Brings the database of DATABASE_URL up to date, and its search index with it. It may be run again, and by several
processes at once.

  --help  shows this`;

const EXIT = { upToDate: 0, failed: 1, wrongUsage: 2 } as const;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 it is up to date now, 1 it is not, 2 wrong usage
 */
export async function runMigrate(
  args: readonly string[],
  terminal: Lines,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help) {
      terminal.out(USAGE);
      return EXIT.upToDate;
    }
  } catch {
    // What parseArgs says has the argument in it, and that may be a URL with a password.
    terminal.error(`It takes no arguments: the database is DATABASE_URL's.\n\n${USAGE}`);
    return EXIT.wrongUsage;
  }
  try {
    terminal.out(await migrate(readConfig(environment).databaseUrl));
    return EXIT.upToDate;
  } catch (error) {
    terminal.error(messageOf(error).replace(/\s+/g, ' '));
    return EXIT.failed;
  }
}

/** @returns what was done */
async function migrate(url: string): Promise<string> {
  const { shown } = parseDatabaseUrl(url);
  if (url === IN_MEMORY) return `${shown} is made anew by every process that opens it: there is nothing to migrate.`;
  const { connection, applied } = await connect(url, { migrate: true });
  await connection.close();
  if (applied.length === 0) return `${shown} is up to date.`;
  return `${shown} is up to date now. Applied: ${applied.join(', ')}.`;
}
