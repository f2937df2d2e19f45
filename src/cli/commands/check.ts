/** `parley check`: exits with 0 when the database is sound, with 1 for findings or when it cannot be read. */
import { readConfig } from '../../config.js';
import { checkDatabase } from '../../database/checking/check-database.js';
import { connect } from '../../database/opening/open.js';
import { EXIT, type CommandDefinition } from '../command.js';
import { existingDatabase } from '../existing-database.js';
import { withProgress } from '../progress-bar.js';
import type { Terminal } from '../terminal.js';

const DESCRIPTION =
  'Verifies the database of DATABASE_URL: references, depths, jumps, runs, numbers and counters of every row. It only ' +
  'reads, and servers may run meanwhile. Each finding is a line with the table, the ids of the row and the problem; the ' +
  'first 20 of each kind are printed and the others counted.';

export const command: CommandDefinition<{ isJson: boolean }> = {
  define: (command) =>
    command.description(DESCRIPTION).option('--json', 'print one JSON object: rows, findings and totals'),
  read: ({ json = false }: { json?: boolean }) => ({ isJson: json }),
  run: ({ isJson }, { terminal, environment }) => check(isJson, readConfig(environment).databaseUrl, terminal),
};

async function check(isJson: boolean, url: string, terminal: Terminal): Promise<number> {
  existingDatabase(url);
  const { connection } = await connect(url, { migrate: false, isReadOnly: true });
  try {
    const report = await withProgress(terminal.progress, { unit: 'rows' }, (update) =>
      checkDatabase(connection, update),
    );
    if (isJson) {
      terminal.out(JSON.stringify({ rows: report.rows, findings: report.findings, totals: report.totals() }));
    } else {
      for (const line of report.problems()) terminal.error(line);
      terminal.out(report.summary());
    }
    return report.isSound ? EXIT.done : EXIT.failed;
  } finally {
    await connection.close();
  }
}
