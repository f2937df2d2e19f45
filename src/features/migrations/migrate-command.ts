/** `parley migrate`. */
import { readConfig } from '../../config.js';
import { checkOptionalName } from '../../conversation/bounds.js';
import { grantRights } from './rights.js';
import { progressLog } from '../../database/writing/progress.js';
import { IN_MEMORY, parseDatabaseUrl } from '../../database/connection/database-url.js';
import { schemaForms, type SchemaForm } from '../../database/connection/schema-form.js';
import { connect } from '../../database/opening/open.js';
import { messageOf } from '../../system/message-of.js';
import { EXIT, type CommandDefinition } from '../../command/command.js';
import type { Terminal } from '../../command/terminal.js';

const DESCRIPTION =
  'Brings the database of DATABASE_URL and its search index up to date. It can run again, and in several processes at once.';

interface MigrateOptions {
  role: string | null;
  /** Those that the schema gets. */
  forms: readonly SchemaForm['option'][];
}

export const command: CommandDefinition<MigrateOptions> = {
  define: (command) => {
    command
      .description(DESCRIPTION)
      .option(
        '--grant-to <ROLE>',
        'give this role, a user on SQL Server, the rights that a server needs, and no others',
      );
    for (const { option } of schemaForms()) command.option(`--${option.name}`, option.meaning);
    return command;
  },
  read: ({ grantTo, ...flags }: { grantTo?: string } & Record<string, unknown>) => ({
    role: checkOptionalName(grantTo, '--grant-to'),
    forms: schemaForms().flatMap(({ option }) => (flags[option.name] === true ? option : [])),
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

async function migrate(url: string, { role, forms }: MigrateOptions, { error }: Terminal): Promise<string[]> {
  const parsed = parseDatabaseUrl(url);
  const { shown } = parsed;
  if (role !== null && parsed.provider === 'sqlite') {
    throw new Error(
      `--grant-to is for PostgreSQL and SQL Server: ${shown} has no roles; grant access to its file instead`,
    );
  }
  for (const form of forms) await form.check(parsed);
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
    for (const form of forms) lines.push(await form.apply(parsed));
    if (role === null || parsed.provider === 'sqlite') return lines;
    await grantRights(parsed, connection, role);
    return [...lines, `"${role}" has the rights of a server.`];
  } finally {
    await connection.close();
  }
}
