/** `parley usage`. */
import { readConfig } from '../../config.js';
import { checkName } from '../../conversation/bounds.js';
import { columnNames } from '../../conversation/tables.js';
import { connect } from '../../database/opening/open.js';
import { EXIT, type CommandDefinition } from '../../command/command.js';
import { csvField } from '../../command/csv-field.js';
import { existingDatabase } from '../../command/existing-database.js';
import type { Terminal } from '../../command/terminal.js';
import { isMonth, usagePages } from './monthly-usage.js';
import type { UsageFilter } from './statements.js';

const DESCRIPTION =
  'Prints the tokens that saved messages state as CSV, by month, user and model, from the database of DATABASE_URL. ' +
  'Servers may run meanwhile.';

const COLUMNS = columnNames('monthly_usage', ['id']);

interface Options {
  from?: string;
  to?: string;
  user?: string;
}

export const command: CommandDefinition<UsageFilter> = {
  define: (command) =>
    command
      .description(DESCRIPTION)
      .option('--from <MONTH>', 'the first month, such as 2026-01')
      .option('--to <MONTH>', 'the last month, inclusive')
      .option('--user <ID>', 'only this user'),
  read: ({ from, to, user }: Options) => ({
    from: monthOf(from, '--from'),
    to: monthOf(to, '--to'),
    userId: user === undefined ? null : checkName(user, '--user'),
  }),
  run: (filter, { terminal, environment }) => print(readConfig(environment).databaseUrl, filter, terminal),
};

async function print(databaseUrl: string, filter: UsageFilter, terminal: Terminal): Promise<number> {
  existingDatabase(databaseUrl);
  const { connection } = await connect(databaseUrl, { migrate: false, isReadOnly: true });
  try {
    terminal.out(COLUMNS.join(','));
    for await (const rows of usagePages(connection, filter)) {
      for (const row of rows) terminal.out(COLUMNS.map((name) => csvField(row[name])).join(','));
    }
    return EXIT.done;
  } finally {
    await connection.close();
  }
}

function monthOf(text: string | undefined, option: string): string | null {
  if (text !== undefined && !isMonth(text)) throw new Error(`${option} must be a month such as 2026-11`);
  return text ?? null;
}
