/** `parley usage`. */
import { readConfig } from '../../config.js';
import { checkName } from '../../conversation/bounds.js';
import { columnNames } from '../../conversation/tables.js';
import { withHooks } from '../../database/change-hooks.js';
import { connect } from '../../database/opening/open.js';
import { createReads } from '../../database/reading/reads.js';
import { EXIT, type CommandDefinition } from '../../command/command.js';
import { csvField } from '../../command/csv-field.js';
import { existingDatabase } from '../../command/existing-database.js';
import type { Terminal } from '../../command/terminal.js';
import { isMonth, type UsageFilter, type UsagePosition } from './monthly-usage.js';
import { usageSums } from './usage-sums.js';

const DESCRIPTION =
  'Prints the tokens that saved messages state as CSV, by month, user and model, from the database of DATABASE_URL. ' +
  'Servers may run meanwhile.';

const ROWS_PER_PAGE = 1_000;
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
    const reads = createReads(withHooks(connection, [usageSums(connection)]));
    terminal.out(COLUMNS.join(','));
    let after: UsagePosition | null = null;
    for (let hasMore = true; hasMore;) {
      const page: Awaited<ReturnType<typeof reads.usagePage>> = await reads.usagePage(filter, {
        first: ROWS_PER_PAGE,
        last: null,
        after,
        before: null,
      });
      for (const row of page.rows) terminal.out(COLUMNS.map((name) => csvField(row[name])).join(','));
      after = page.rows.at(-1) ?? null;
      hasMore = page.hasNextPage;
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
