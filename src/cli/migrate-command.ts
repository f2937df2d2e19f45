/** `npm run migrate [-- --grant-to ROLE]`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { checkOptionalName } from '../conversation/bounds.js';
import { grantRights } from '../database/migrations/rights.js';
import { IN_MEMORY, parseDatabaseUrl } from '../database/opening/database-url.js';
import { connect } from '../database/opening/open.js';
import { messageOf } from '../message-of.js';
import { EXIT, runCommand } from './command.js';
import type { Lines } from './terminal.js';

const USAGE = `Usage: npm run migrate [-- --grant-to ROLE]

Brings the database of DATABASE_URL up to date, and its search index with it. It may be run again, and by several
processes at once.

  --grant-to ROLE  gives this role, a user on SQL Server, the rights that a server needs, and no others
  --help           shows this`;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 it is up to date now, 1 it is not, 2 wrong usage
 */
export function runMigrate(args: readonly string[], terminal: Lines, environment?: NodeJS.ProcessEnv): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readArguments,
    run: async ({ role }) => {
      try {
        for (const line of await migrate(readConfig(environment).databaseUrl, role)) terminal.out(line);
      } catch (error) {
        // What databases say has lines.
        throw new Error(messageOf(error).replace(/\s+/g, ' '), { cause: error });
      }
      return EXIT.done;
    },
  });
}

function readArguments(args: string[]): { role: string | null } | 'help' {
  let values;
  try {
    const options = { 'grant-to': { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    ({ values } = parseArgs({ args, options }));
  } catch {
    // The message of parseArgs repeats the argument, which may be a URL with a password.
    throw new Error('migrate takes --grant-to ROLE and no other argument; DATABASE_URL names the database.');
  }
  return values.help ? 'help' : { role: checkOptionalName(values['grant-to'], '--grant-to') };
}

/** @returns what was done, in lines */
async function migrate(url: string, role: string | null): Promise<string[]> {
  const parsed = parseDatabaseUrl(url);
  const { shown } = parsed;
  if (role !== null && parsed.provider === 'sqlite') {
    throw new Error(
      `--grant-to is for PostgreSQL and SQL Server: ${shown} has no roles; grant access to its file instead`,
    );
  }
  if (url === IN_MEMORY) return [`${shown} is made anew by every process that opens it: there is nothing to migrate.`];
  const { connection, applied } = await connect(url, { migrate: true });
  try {
    const lines =
      applied.length === 0
        ? [`${shown} is up to date.`]
        : [`${shown} is up to date now. Applied: ${applied.join(', ')}.`];
    if (role === null || parsed.provider === 'sqlite') return lines;
    await grantRights(parsed, connection, role);
    return [...lines, `"${role}" has the rights of a server.`];
  } finally {
    await connection.close();
  }
}
