/** `parley import`: exits with 1 when anything could not be read. */
import './modest-heap.js';
import { readConfig } from '../../config.js';
import { checkOptionalName } from '../../conversation/bounds.js';
import { openDatabase } from '../../database/opening/open.js';
import type { ImportReport, ConversationReport } from './conversations/import-report.js';
import {
  type Reader,
  readerNamed,
  READERS,
  isSqliteFile,
  openSourceFile,
  type ReadFailure,
} from '@parley/interchange/server';
import { EXIT, type CommandContext, type CommandDefinition } from '../../command/command.js';
import { adopterOf, type Adopt } from './parley/adopt-chat.js';
import { withProgress } from '../../command/progress-bar.js';
import type { Terminal } from '../../command/terminal.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { Files } from '../../files/files.js';
import { importFile } from './import-file.js';
import { lockTemporaryFolders } from '../../system/locked-folders.js';
import { importOriginal } from './original/import-original.js';
import type { OriginalDatabase } from './original/original-database.js';
import { openSqliteOriginal } from './original/sqlite-original.js';

const DESCRIPTION =
  'Imports the conversations of an export of another system into the database of DATABASE_URL. FILE is JSON or JSON Lines, ' +
  'also gzipped, the zip of an export, a folder, or a SQLite database of @deepagents/context; - reads standard input. The ' +
  'content decides which format it is.';

type ImportRequest = {
  path: string;
  from: string | null;
  userId: string | null;
  format: Reader | null;
  into: string | null;
  isJson: boolean;
};

interface Options {
  from?: string;
  user?: string;
  format?: string;
  into?: string;
  json?: boolean;
}

export const command: CommandDefinition<ImportRequest> = {
  define: (command) =>
    command
      .description(DESCRIPTION)
      .argument('[FILE]')
      .option(
        '--from <URL>',
        'instead of FILE, a PostgreSQL database of @deepagents/context: postgresql://...[?schema=NAME]',
      )
      .option(
        '--user <ID>',
        'the owner of the chats (default: "local"; for files of Parley and databases, the owners in them)',
      )
      .option('--format <NAME>', `reads all values in this format: ${READERS.map(({ name }) => name).join(', ')}`)
      .option('--into <CHAT>', 'the chat that the only conversation of FILE continues, for formats without ids')
      .option('--json', 'print the report as JSON, a line for each conversation'),
  read: readRequest,
  run: importInto,
};

function readRequest(values: Options, files: string[]): ImportRequest {
  const { from = null } = values;
  const [path = ''] = files;
  if (files.length !== (from === null ? 1 : 0)) throw new Error('Exactly one file is needed, or --from.');
  const format = values.format === undefined ? null : readerNamed(values.format);
  if (format === undefined) throw new Error(`There is no format "${values.format}".`);
  if (from !== null && format !== null) throw new Error('--format is for files, and not for --from.');
  const into = checkOptionalName(values.into, '--into');
  if (from !== null && into !== null) throw new Error('--into is for files, and not for --from.');
  return { path, from, into, userId: checkOptionalName(values.user, '--user'), format, isJson: values.json ?? false };
}

/** Loads the driver of PostgreSQL on demand. */
async function openOriginal(address: string) {
  const { openPostgresqlOriginal } = await import('./original/postgresql-original.js');
  return openPostgresqlOriginal(address);
}

async function importInto(
  request: ImportRequest,
  { terminal, environment, features }: CommandContext,
): Promise<number> {
  const { path, from, format, isJson } = request;
  const config = readConfig(environment);
  const { openFeatures, files: service } = await features();
  // Before the database is opened, because opening may create it.
  const source = from === null ? await fileSource(request) : originalSource(request, await openOriginal(from));
  try {
    if (from === null && format !== null && source.unit === 'chats')
      throw new Error(`${path} is a database: it has no --format.`);
    const database = await openDatabase({ url: config.databaseUrl, hooksOf: openFeatures(config) });
    let opened: Awaited<ReturnType<typeof service.open>> | undefined;
    const lines = isJson ? new JsonLines(terminal) : null;
    try {
      const { files } = (opened = await service.open(config, database.connection));
      const report = await withProgress(terminal.progress, source, (update) =>
        source.import({ store: database.store, adopt: adopterOf(database.connection), files }, (read) => {
          if (read !== null) lines?.add(read);
          update(...source.progress());
        }),
      );
      if (lines !== null) lines.end(report);
      else for (const line of report.summary()) terminal.out(line);
      return report.failures.total > 0 ? EXIT.failed : EXIT.done;
    } finally {
      await opened?.close();
      await database.store.close();
    }
  } finally {
    await source.close();
  }
}

/** One JSON object, written line by line with the conversations: there may be a million. */
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

/** Sources of `npm run import`: a file or a database. */
interface ImportSource {
  /** Unit of progress. */
  readonly unit: 'MB' | 'chats';
  shown?: (amount: number) => string;
  /** Progress so far and in total. */
  progress(): [done: number, total: number];
  /** @param onRead called after each conversation, and with null as the reading continues */
  import(
    to: { store: ConversationStore; adopt: Adopt; files: Files },
    onRead: (read: ConversationReport | ReadFailure | null) => void,
  ): Promise<ImportReport>;
  close(): Promise<void>;
}

interface Asked {
  path: string;
  userId: string | null;
  format: Reader | null;
  into: string | null;
}

/** @throws UnreadableError */
async function fileSource({ path, userId, format, into }: Asked): Promise<ImportSource> {
  if (path !== '-' && (await isSqliteFile(path))) return originalSource({ userId }, openSqliteOriginal(path));
  lockTemporaryFolders();
  const file = await openSourceFile(path);
  return {
    unit: 'MB',
    shown: (bytes) => (bytes / 1e6).toFixed(1),
    progress: () => [file.bytesRead(), file.size ?? file.bytesRead()],
    import: async ({ store, adopt, files }, onRead) => {
      onRead(null);
      const adopting = { adopt, owner: userId, actor: null };
      return importFile(store, userId ?? 'local', file, { format, into, adopting, files, onRead });
    },
    close: () => file.close(),
  };
}

/** @param database closed with the source */
function originalSource({ userId }: Pick<Asked, 'userId'>, database: OriginalDatabase): ImportSource {
  let [done, total] = [0, 0];
  return {
    unit: 'chats',
    progress: () => [done, Math.max(done, total)],
    import: async ({ adopt, files }, onRead) => {
      total = await database.chatCount();
      return importOriginal(database, { adopt, owner: userId, actor: null }, files, (read) => {
        done++;
        onRead(read);
      });
    },
    close: () => database.close(),
  };
}
