/** `parley check`: exits with 0 when the database is sound, with 1 for findings or when it cannot be read. */
import { readConfig } from '../../config.js';
import { checkDatabase } from './checking/check-database.js';
import { CheckReport } from './checking/check-report.js';
import { checkContents } from './checking/content-check.js';
import { checkSqliteFile } from './checking/sqlite-file-check.js';
import { parseDatabaseUrl } from '../../database/connection/database-url.js';
import { connect } from '../../database/opening/open.js';
import type { FileStorage } from '../../files/file-storage.js';
import { EXIT, type CommandContext, type CommandDefinition } from '../../command/command.js';
import { existingDatabase } from '../../command/existing-database.js';
import { withProgress } from '../../command/progress-bar.js';

const DESCRIPTION =
  'Verifies the database of DATABASE_URL: the pages of a SQLite file, references, depths, jumps, runs, numbers and counters of every row, and the ' +
  'contents of files in FILES_URL, which exist and have their size. It only reads, and servers may run meanwhile. Each finding is a line with the table, the ids of the row and the problem; the ' +
  'first 20 of each kind are printed and the others counted.';

export const command: CommandDefinition<{ isJson: boolean }> = {
  define: (command) =>
    command.description(DESCRIPTION).option('--json', 'print one JSON object: rows, findings and totals'),
  read: ({ json = false }: { json?: boolean }) => ({ isJson: json }),
  run: check,
};

async function check({ isJson }: { isJson: boolean }, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const report = await reportOf(context);
  if (isJson) {
    terminal.out(JSON.stringify({ rows: report.rows, findings: report.findings, totals: report.totals() }));
  } else {
    for (const line of report.problems()) terminal.error(line);
    terminal.out(report.summary());
  }
  return report.isSound ? EXIT.done : EXIT.failed;
}

async function reportOf({ terminal, environment, features }: CommandContext): Promise<CheckReport> {
  const { databaseUrl, filesUrl } = readConfig(environment);
  const { ALL_CHECKS, files } = await features();
  existingDatabase(databaseUrl);
  const url = parseDatabaseUrl(databaseUrl);
  const report = new CheckReport();
  if (url.provider === 'sqlite' && !checkSqliteFile(url.path, report)) return report;
  const { connection } = await connect(databaseUrl, { migrate: false, isReadOnly: true });
  let storage: FileStorage | undefined;
  try {
    const contents = await files.contents({ databaseUrl, filesUrl, connection, isReadOnly: true });
    storage = contents;
    return await withProgress(terminal.progress, { unit: 'rows' }, async (update) => {
      await checkDatabase(connection, ALL_CHECKS, update, report);
      await checkContents(files.records(connection), contents, report);
      return report;
    });
  } finally {
    storage?.close?.();
    await connection.close();
  }
}
