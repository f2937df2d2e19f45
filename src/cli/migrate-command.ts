/** `npm run migrate`: arguments in, exit code out. */
import { readConfig } from '../config.js';
import { IN_MEMORY, parseDatabaseUrl } from '../database/opening/database-url.js';
import { connect } from '../database/opening/open.js';
import { messageOf } from '../message-of.js';
import { EXIT, readNoArguments, runCommand } from './command.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run migrate

Brings the database of DATABASE_URL up to date, and its search index with it. It may be run again, and by several
processes at once.

  --help  shows this`;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 it is up to date now, 1 it is not, 2 wrong usage
 */
export function runMigrate(args: readonly string[], terminal: Lines, environment?: NodeJS.ProcessEnv): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readNoArguments,
    run: async () => {
      try {
        terminal.out(await migrate(readConfig(environment).databaseUrl));
      } catch (error) {
        // What databases say has lines.
        throw new Error(messageOf(error).replace(/\s+/g, ' '), { cause: error });
      }
      return EXIT.done;
    },
  });
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
