/** `parley migrate`. */
import { readConfig } from '../../config.js';
import { checkOptionalName } from '../../conversation/bounds.js';
import { distribute, requireCitus } from '../../database/migrations/distribute.js';
import { grantRights } from '../../database/migrations/rights.js';
import { progressLog } from '../../database/migrations/progress.js';
import {
  IN_MEMORY,
  parseDatabaseUrl,
  type DatabaseUrl,
  type ServerUrl,
} from '../../database/connection/database-url.js';
import { connect } from '../../database/opening/open.js';
import { messageOf } from '../../system/message-of.js';
import { EXIT, type CommandDefinition } from '../../command/command.js';
import type { Terminal } from '../../command/terminal.js';

const DESCRIPTION =
  'Brings the database of DATABASE_URL and its search index up to date. It can run again, and in several processes at once.';

interface MigrateOptions {
  role: string | null;
  isDistributed: boolean;
}

export const command: CommandDefinition<MigrateOptions> = {
  define: (command) =>
    command
      .description(DESCRIPTION)
      .option(
        '--grant-to <ROLE>',
        'give this role, a user on SQL Server, the rights that a server needs, and no others',
      )
      .option('--distribute', 'distribute the empty tables over the workers of Citus, by chat'),
  read: ({ grantTo, distribute = false }: { grantTo?: string; distribute?: boolean }) => ({
    role: checkOptionalName(grantTo, '--grant-to'),
    isDistributed: distribute,
  }),
  run: async (options, { terminal, environment }) => {
    try {
      for (const line of await migrate(readConfig(environment).databaseUrl, options, terminal)) terminal.out(line);
    } catch (error) {
      // Messages of databases have several lines.
      throw new Error(messageOf(error).replace(/\s+/g, ' '), { cause: error });
    }
    return EXIT.done;
  },
};

function onPostgresql(url: DatabaseUrl): ServerUrl {
  if (url.provider === 'postgresql') return url;
  throw new Error(`--distribute is for PostgreSQL with Citus, not for ${url.shown}`);
}

/** @returns the lines of a report */
async function migrate(url: string, { role, isDistributed }: MigrateOptions, { error }: Terminal): Promise<string[]> {
  const parsed = parseDatabaseUrl(url);
  const { shown } = parsed;
  if (role !== null && parsed.provider === 'sqlite') {
    throw new Error(
      `--grant-to is for PostgreSQL and SQL Server: ${shown} has no roles; grant access to its file instead`,
    );
  }
  if (isDistributed) await requireCitus(onPostgresql(parsed));
  if (url === IN_MEMORY) return [`${shown} is created by every process that opens it: there is nothing to migrate.`];
  const { connection, applied } = await connect(url, {
    migrate: true,
    onProgress: progressLog(error),
  });
  try {
    const lines =
      applied.length === 0
        ? [`${shown} is up to date.`]
        : [`${shown} is up to date now. Applied: ${applied.join(', ')}.`];
    if (isDistributed) {
      const isNew = await distribute(onPostgresql(parsed));
      lines.push(isNew ? 'Its tables are distributed over the workers now.' : 'Its tables are distributed already.');
    }
    if (role === null || parsed.provider === 'sqlite') return lines;
    await grantRights(parsed, connection, role);
    return [...lines, `"${role}" has the rights of a server.`];
  } finally {
    await connection.close();
  }
}
