/** `npm run export -- [TARGET] [--user ID] [--chat ID] [--format NAME] [--since TIME] [--paths WHICH]`. */
import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { readConfig } from '../config.js';
import { checkOptionalName } from '../conversation/bounds.js';
import { openDatabase } from '../database/opening/open.js';
import { askedChats, ExportReport, type ExportRequest } from '../interchange/exporting/export-chats.js';
import { exportToFile, exportToFolder, exportToStream, exportToZip } from '../interchange/exporting/export-targets.js';
import { PATHS, type Paths, type Writer, writerNamed, WRITERS } from '@parley/interchange/server';
import { EXIT, runCommand } from './command.js';
import { existingDatabase } from './existing-database.js';
import { showProgress } from './progress-bar.js';
import type { Terminal } from './terminal.js';

const USAGE = `Usage: npm run export -- [TARGET] [--user ID] [--chat ID] [--format NAME] [--since TIME] [--paths WHICH]

Exports chats of the database of DATABASE_URL. TARGET is a file, a zip by its name, or a folder, by a / at its end or
because it is there; without it, or for -, standard output. A server may go on meanwhile. In a folder each chat has a file
of its own, and one that has not changed since is left: an export that was interrupted goes on when it is run again.

  --user ID      the chats of this user (everybody's by default)
  --chat ID      this chat alone
  --since TIME   those changed since, as 2026-01-31 or 2026-01-31T12:00:00Z
  --format NAME  "parley" by default, which loses nothing;
                 ${WRITERS.map(({ name }) => name).join(', ')}
  --paths WHICH  where a format holds paths: active (by default), leaves, or checkpoints
  --help         shows this`;

/**
 * @param environment the process's own by default
 * @param output what - stands for
 * @returns the exit code: 0 all written, 1 it could not be done, 2 wrong usage
 */
export function runExport(
  args: readonly string[],
  terminal: Terminal,
  environment?: NodeJS.ProcessEnv,
  output: Writable = process.stdout,
): Promise<number> {
  return runCommand(args, terminal, {
    usage: USAGE,
    read: readArguments,
    run: (request) => exportFrom(request, terminal, environment, output),
  });
}

interface Request {
  target: string;
  userId: string | null;
  chatId: string | null;
  writer: Writer;
  since: number | null;
  paths: Paths;
}

function readArguments(args: string[]): Request | 'help' {
  const { values, positionals } = parseArgs({
    args,
    options: {
      user: { type: 'string' },
      chat: { type: 'string' },
      format: { type: 'string', default: 'parley' },
      since: { type: 'string' },
      paths: { type: 'string', default: 'active' },
      help: { type: 'boolean', short: 'h', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) return 'help';
  if (positionals.length > 1) throw new Error('At most one target is possible.');
  const writer = writerNamed(values.format);
  if (writer === undefined) throw new Error(`There is no format "${values.format}".`);
  const since = values.since === undefined ? null : Date.parse(values.since);
  if (Number.isNaN(since)) throw new Error(`--since is no time: "${values.since}".`);
  const paths = PATHS.find((which) => which === values.paths);
  if (paths === undefined) throw new Error(`--paths must be one of ${PATHS.join(', ')}.`);
  const userId = checkOptionalName(values.user, '--user');
  return {
    target: positionals[0] ?? '-',
    userId,
    chatId: checkOptionalName(values.chat, '--chat'),
    writer,
    since,
    paths,
  };
}

async function exportFrom(
  { target, ...asked }: Request,
  terminal: Terminal,
  environment: NodeJS.ProcessEnv | undefined,
  output: Writable,
): Promise<number> {
  const url = readConfig(environment).databaseUrl;
  existingDatabase(url);
  const database = await openDatabase({ url });
  const progress = showProgress(target === '-' ? null : terminal.progress, { unit: 'chats' });
  try {
    const { userId, since, chatId } = asked;
    const filter = { userId, metadata: [], updatedAfter: since === null ? null : since - 1 };
    const total = chatId === null ? await database.reads.chatCount(filter) : 1;
    const report = new ExportReport(asked.writer, (done) => progress.update(done, Math.max(total, done)));
    const request: ExportRequest = { ...asked, archive: database.archive() };
    const { done = false } = chatId === null ? {} : await askedChats(request).next();
    if (done) throw new Error(`There is no chat "${chatId}"${userId === null ? '' : ` of "${userId}"`}.`);
    await writeTo(target, request, report, output);
    progress.stop();
    // Standard output is the export's.
    const say = target === '-' ? terminal.error.bind(terminal) : terminal.out.bind(terminal);
    for (const line of report.summary()) say(line);
    return EXIT.done;
  } finally {
    progress.stop();
    await database.store.close();
  }
}

async function writeTo(target: string, request: ExportRequest, report: ExportReport, output: Writable): Promise<void> {
  if (target === '-') return exportToStream(request, report, output);
  const isFolder = target.endsWith('/') || (await stat(target).catch(() => null))?.isDirectory() === true;
  if (isFolder) return exportToFolder(request, report, target);
  return /\.zip$/i.test(target) ? exportToZip(request, report, target) : exportToFile(request, report, target);
}
