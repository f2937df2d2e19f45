/** `npm run import -- FILE | --from URL [--user ID] [--format NAME] [--json]`: arguments in, exit code out. */
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { checkOptionalName } from '../conversation/bounds.js';
import { openDatabase } from '../database/opening/open.js';
import type { ImportReport } from '../interchange/importing/import-report.js';
import { type Reader, readerNamed, READERS } from '@parley/interchange/server';
import { openPostgresqlOriginal } from '../interchange/original/postgresql-original.js';
import { EXIT, runCommand } from './command.js';
import { fileSource, originalSource } from './import-source.js';
import { showProgress } from './progress-bar.js';
import type { Terminal } from './terminal.js';

const USAGE = `Usage: npm run import -- FILE | --from URL [--user ID] [--format NAME] [--json]

Imports the conversations of another system's export into the database of DATABASE_URL. FILE is JSON or JSON Lines,
also gzipped, the zip in which an export comes, or a folder; - reads standard input; or a SQLite database of @deepagents/context.
What it is, is told by its content.

  --from URL     in place of FILE, a PostgreSQL database of @deepagents/context: postgresql://...[?schema=NAME]
  --user ID      the owner of the imported chats ("local" by default; of Parley's own, and of databases, who had them)
  --format NAME  takes everything for this format: ${listed(READERS.map(({ name }) => name))}
  --json         prints what was done as JSON, a line for each conversation
  --help         shows this`;

/**
 * @param environment the process's own by default
 * @returns the exit code: 0 all read, 1 something could not be read, 2 wrong usage
 */
export function runImport(
  args: readonly string[],
  terminal: Terminal,
  environment?: NodeJS.ProcessEnv,
): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readArguments,
    run: (request) => importInto(request, terminal, environment),
  });
}

type Request = { path: string; from: string | null; userId: string | null; format: Reader | null; isJson: boolean };

function readArguments(args: string[]): Request | 'help' {
  const { values, positionals } = parseArgs({
    args,
    options: {
      from: { type: 'string' },
      user: { type: 'string' },
      format: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return 'help';
  const { from = null } = values;
  const [path = ''] = positionals;
  if (positionals.length !== (from === null ? 1 : 0)) throw new Error('Exactly one file is needed, or --from.');
  const format = values.format === undefined ? null : readerNamed(values.format);
  if (format === undefined) throw new Error(`There is no format "${values.format}".`);
  if (from !== null && format !== null) throw new Error('--format is for files, and not for --from.');
  return { path, from, userId: checkOptionalName(values.user, '--user'), format, isJson: values.json };
}

async function importInto(
  request: Request,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv | undefined,
): Promise<number> {
  const { path, from, format, isJson } = request;
  const { databaseUrl } = readConfig(environment);
  // Before the database, which is made when there is none.
  const source =
    from === null ? await fileSource(request) : originalSource(request, await openPostgresqlOriginal(from));
  try {
    if (from === null && format !== null && source.unit === 'chats')
      throw new Error(`${path} is a database: it has no --format.`);
    const database = await openDatabase({ url: databaseUrl });
    const progress = showProgress(terminal.progress, source);
    const lines = isJson ? new JsonLines(terminal) : null;
    try {
      const report = await source.import(database, (read) => {
        if (read !== null) lines?.add(read);
        progress.update(...source.progress());
      });
      progress.stop();
      if (lines !== null) lines.end(report);
      else for (const line of report.summary()) terminal.out(line);
      return report.failures.total > 0 ? EXIT.failed : EXIT.done;
    } finally {
      progress.stop();
      await database.store.close();
    }
  } finally {
    await source.close();
  }
}

/** One JSON value, an object, written line by line as the conversations come: there may be a million. */
class JsonLines {
  #isFirst = true;

  constructor(private readonly terminal: Terminal) {}

  add(read: object): void {
    this.terminal.out(`${this.#isFirst ? '{"conversations":[\n' : ','}${JSON.stringify(read)}`);
    this.#isFirst = false;
  }

  end(report: ImportReport): void {
    const { notes, failures } = report;
    const rest = { totals: report.totals(), leftOut: notes.kept, couldNotRead: failures.kept };
    this.terminal.out(`${this.#isFirst ? '{"conversations":[' : ''}],${JSON.stringify(rest).slice(1)}`);
  }
}

function listed(names: readonly string[]): string {
  return names
    .join(', ')
    .replace(/(.{1,84})(?:, |$)/g, '$1,\n                 ')
    .replace(/,\s*$/, '');
}
