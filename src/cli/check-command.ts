/** `npm run check [-- --json]`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { checkDatabase } from '../database/checking/check-database.js';
import { connect } from '../database/opening/open.js';
import { EXIT, runCommand } from './command.js';
import { existingDatabase } from './existing-database.js';
import { showProgress } from './progress-bar.js';
import type { Terminal } from './terminal.js';

const USAGE = `Usage: npm run check [-- --json]

Verifies the database of DATABASE_URL: references, depths, jumps, runs, numbers and counters of every row. It only reads, and
servers may run meanwhile. Each finding is a line with the table, the ids of the row and the problem; of each kind 20 are
printed and the others counted.

  --json  prints one JSON object: rows, findings and totals
  --help  shows this`;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 no findings, 1 findings or a database that cannot be read, 2 wrong usage
 */
export function runCheck(
  args: readonly string[],
  terminal: Terminal,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readArguments,
    run: (request) => check(request, readConfig(environment).databaseUrl, terminal),
  });
}

function readArguments(args: string[]): { isJson: boolean } | 'help' {
  try {
    const { values } = parseArgs({
      args,
      options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
    });
    return values.help ? 'help' : { isJson: values.json };
  } catch {
    // The message of parseArgs repeats the argument, which may be a URL with a password.
    throw new Error('check takes --json and no other argument; DATABASE_URL names the database.');
  }
}

async function check({ isJson }: { isJson: boolean }, url: string, terminal: Terminal): Promise<number> {
  existingDatabase(url);
  const { connection } = await connect(url, { migrate: false, isReadOnly: true });
  const progress = showProgress(terminal.progress, { unit: 'rows' });
  try {
    const report = await checkDatabase(connection, progress.update);
    progress.stop();
    if (isJson) {
      terminal.out(JSON.stringify({ rows: report.rows, findings: report.findings, totals: report.totals() }));
    } else {
      for (const line of report.problems()) terminal.error(line);
      terminal.out(report.summary());
    }
    return report.isSound ? EXIT.done : EXIT.failed;
  } finally {
    progress.stop();
    await connection.close();
  }
}
