/** `parley export`. */
import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { readConfig } from '../../config.js';
import { checkOptionalName } from '../../conversation/bounds.js';
import { openDatabase } from '../../database/opening/open.js';
import { auditedArchive, ChatArchive } from './archive.js';
import { askedChats, ExportReport, type ExportRequest } from './export-chats.js';
import { exportToFile, exportToFolder, exportToStream, exportToZip } from './export-targets.js';
import { PATHS, type Paths, type Writer, writerNamed, WRITERS } from '@parley/interchange/server';
import { EXIT, type CommandContext, type CommandDefinition } from '../../command/command.js';
import { existingDatabase } from '../../command/existing-database.js';
import { withProgress } from '../../command/progress-bar.js';

const DESCRIPTION =
  'Exports chats of the database of DATABASE_URL. TARGET is a file, a zip by its name, or a folder, which exists or whose ' +
  'name ends with /; without TARGET, or for -, the chats are written to standard output. A server may run meanwhile. In a ' +
  'folder each chat has a file of its own, and an unchanged chat is skipped: run an interrupted export again to continue it.';

interface CommandRequest {
  target: string;
  userId: string | null;
  chatId: string | null;
  writer: Writer;
  since: number | null;
  paths: Paths;
}

interface Options {
  user?: string;
  chat?: string;
  since?: string;
  format?: string;
  paths: string;
}

export const command: CommandDefinition<CommandRequest> = {
  define: (command) =>
    command
      .description(DESCRIPTION)
      .argument('[TARGET]')
      .option('--user <ID>', 'the chats of this user (default: all users)')
      .option('--chat <ID>', 'this chat alone')
      .option('--since <TIME>', 'chats that changed since, such as 2026-01-31 or 2026-01-31T12:00:00Z')
      .option(
        '--format <NAME>',
        `${WRITERS.map(({ name }) => name).join(', ')} (default: that of the file's name, or parley)`,
      )
      .option('--paths <WHICH>', `paths that a format without branches contains: ${PATHS.join(', ')}`, 'active'),
  read: readRequest,
  run: exportChats,
};

function readRequest(values: Options, [target = '-']: string[]): CommandRequest {
  const writer = writerOf(target, values.format);
  const since = values.since === undefined ? null : Date.parse(values.since);
  if (Number.isNaN(since)) throw new Error(`--since is no time: "${values.since}".`);
  const paths = PATHS.find((which) => which === values.paths);
  if (paths === undefined) throw new Error(`--paths must be one of ${PATHS.join(', ')}.`);
  const userId = checkOptionalName(values.user, '--user');
  return {
    target,
    userId,
    chatId: checkOptionalName(values.chat, '--chat'),
    writer,
    since,
    paths,
  };
}

/** Extensions of the same form. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['ndjson', 'jsonl'],
  ['htm', 'html'],
  ['markdown', 'md'],
]);

/** @throws Error for an unknown format, and for a file whose name is that of other formats */
function writerOf(target: string, format: string | undefined): Writer {
  const writer = writerNamed(format ?? 'parley');
  if (writer === undefined) throw new Error(`There is no format "${format}".`);
  const ending = /\.(\w+)$/.exec(target)?.[1]?.toLowerCase() ?? '';
  const extension = SAME.get(ending) ?? ending;
  const fitting = WRITERS.filter((each) => each.extension === extension);
  const [only] = fitting;
  if (fitting.length === 0 || fitting.includes(writer)) return writer;
  if (format === undefined && fitting.length === 1 && only !== undefined) return only;
  const names = fitting.map(({ name }) => `--format ${name}`).join(' or ');
  throw new Error(
    `${target} would hold ${writer.label} (.${writer.extension}): name the file otherwise, or use ${names}.`,
  );
}

async function exportChats(
  { target, ...asked }: CommandRequest,
  { terminal, environment, features, output = process.stdout }: CommandContext,
): Promise<number> {
  const config = readConfig(environment);
  const { withAudit, files } = await features();
  const url = config.databaseUrl;
  existingDatabase(url);
  const database = await openDatabase({ url });
  const isToStream = target === '-';
  let opened: Awaited<ReturnType<typeof files.open>> | undefined;
  try {
    const { userId, since, chatId } = asked;
    const filter = { userId, metadata: [], updatedAfter: since === null ? null : since - 1 };
    const total = chatId === null ? await database.reads.chatCount(filter) : 1;
    if (isZip(target)) opened = await files.open(config, database.connection);
    const archive = new ChatArchive(database.connection);
    const request: ExportRequest = { ...asked, archive, files: opened?.files ?? null };
    const { done = false } = chatId === null ? {} : await askedChats(request).next();
    if (done) throw new Error(`There is no chat "${chatId}"${userId === null ? '' : ` of "${userId}"`}.`);
    const report = await withProgress(isToStream ? null : terminal.progress, { unit: 'chats' }, async (update) => {
      const report = new ExportReport(asked.writer, (done) => update(done, Math.max(total, done)));
      await withAudit(config, 'export', terminal, (audit) =>
        writeTo(target, { ...request, archive: auditedArchive(archive, audit) }, report, output),
      );
      return report;
    });
    // Standard output is the export's.
    const print = isToStream ? terminal.error.bind(terminal) : terminal.out.bind(terminal);
    for (const line of report.summary()) print(line);
    return EXIT.done;
  } finally {
    await opened?.close();
    await database.store.close();
  }
}

async function writeTo(target: string, request: ExportRequest, report: ExportReport, output: Writable): Promise<void> {
  if (target === '-') return exportToStream(request, report, output);
  const isFolder = target.endsWith('/') || (await stat(target).catch(() => null))?.isDirectory() === true;
  if (isFolder) return exportToFolder(request, report, target);
  return isZip(target) ? exportToZip(request, report, target) : exportToFile(request, report, target);
}

function isZip(target: string): boolean {
  return /\.zip$/i.test(target);
}
