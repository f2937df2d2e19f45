/**
 * Runs an import in a process of its own, so that no file can take the memory, the processor or the life of the server.
 * The server enforces the bounds of the process and forwards its lines to the client.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseUnavailableError } from '../../conversation/errors.js';
import type { ImportProgress, UploadedFile } from '../../interchange/importing/import-upload.js';
import type { SpooledFiles } from '../../limits/spool.js';
import type { ImportDatabase, ImportedChange, ImportNews, ImportOrder } from './import-order.js';
import { folderBytes, residentBytes } from './process-use.js';
import type { ToldLines } from './told-lines.js';
import { badRequest, refused } from './transfer-request.js';

const isSource = import.meta.url.endsWith('.ts');
const PROGRAM = fileURLToPath(new URL(`../../import-process.${isSource ? 'ts' : 'js'}`, import.meta.url));
/** Tests and benches run the sources. */
const LOADER = isSource ? ['--import', new URL('../../../scripts/typescript.mjs', import.meta.url).href] : [];

/** The rest of its memory has the program, buffers, and pages of SQLite. */
const SHARE_OF_HEAP = 5 / 8;
const CHECK_INTERVAL_MS = 50;
const CHECKS_PER_DISK_CHECK = 5;
const MAX_STDERR_CHARACTERS = 4_000;
/** Node aborts when its heap is full; the system kills when its own memory is. */
const SIGNALS_OF_FULL_MEMORY: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL'];

export interface ImportRun {
  file: UploadedFile;
  /** Contains the file, and all temporary files of the process. */
  folder: string;
  lines: ToldLines;
  /** Counts the files in the folder of the import. */
  spooled: SpooledFiles;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  onProgress(progress: ImportProgress): void;
}

export interface ImportRunnerOptions {
  database: ImportDatabase;
  /** Bytes of memory that the process may occupy. */
  maxResidentBytes: number;
  /** Called with each change that the process has committed. */
  onChange(change: ImportedChange): void;
}

/**
 * Settles when the process has ended.
 * @throws GraphQLError when the file cannot be read or a bound ended the process, DatabaseUnavailableError, the reason of the
 * signal, or Error with the stack of an unexpected error
 */
export async function runImportProcess(run: ImportRun, options: ImportRunnerOptions): Promise<void> {
  const { file, folder, lines, signal } = run;
  signal.throwIfAborted();
  const heapMiB = Math.floor((options.maxResidentBytes * SHARE_OF_HEAP) / 1024 ** 2);
  const execArgv = [`--max-old-space-size=${heapMiB}`, ...LOADER];
  const child = fork(PROGRAM, [], { execArgv, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const ended = Promise.all([once(child, 'close'), once(child, 'disconnect')]);
  ended.catch(() => {});
  lowerPriority(child);

  let reason: unknown = null;
  const kill = (why: unknown) => {
    reason ??= why;
    child.kill('SIGKILL');
  };
  const leave = () => kill(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  let last: ImportNews | null = null;
  let reportedBytes = 0;
  child.on('message', (news: ImportNews) => {
    if ('change' in news) options.onChange(news.change);
    else if ('progress' in news) {
      run.onProgress(news.progress);
      reportedBytes = news.residentBytes;
    } else last = news;
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR_CHARACTERS);
  });
  const over = new AbortController();
  const watching = watch(child, run, over.signal, () => reportedBytes, options.maxResidentBytes).catch(kill);
  try {
    child.send({ database: options.database, file, folder } satisfies ImportOrder, () => {});
    for await (const bytes of child.stdout ?? []) {
      lines.forward(bytes as Buffer);
      await lines.drained();
    }
    await ended;
  } finally {
    over.abort();
    signal.removeEventListener('abort', leave);
    await watching;
  }
  if (reason !== null) throw reason;
  throwFailure(last, () => deathOf(child, options.maxResidentBytes, stderr));
}

/** @throws GraphQLError when the process has more memory, or more files, than it may */
async function watch(
  { pid = 0 }: ChildProcess,
  { folder, spooled }: ImportRun,
  over: AbortSignal,
  reportedBytes: () => number,
  maxResidentBytes: number,
): Promise<void> {
  for (let check = 1; !over.aborted; check++) {
    await sleep(CHECK_INTERVAL_MS, undefined, { signal: over }).catch(() => {});
    if (((await residentBytes(pid)) ?? reportedBytes()) > maxResidentBytes) throw memoryExceeded(maxResidentBytes);
    if (check % CHECKS_PER_DISK_CHECK === 0) spooled.setBytes(await folderBytes(folder));
  }
}

function throwFailure(last: ImportNews | null, death: () => Error): void {
  if (last === null) throw death();
  if ('unreadable' in last) throw badRequest(last.unreadable);
  if ('unavailable' in last) throw new DatabaseUnavailableError(last.unavailable);
  if ('failed' in last) throw new Error(`An import failed: ${last.failed}`);
}

function deathOf({ signalCode, exitCode }: ChildProcess, maxResidentBytes: number, stderr: string): Error {
  if (SIGNALS_OF_FULL_MEMORY.includes(signalCode)) return memoryExceeded(maxResidentBytes);
  return new Error(`An import process ended with ${signalCode ?? exitCode}: ${stderr}`);
}

function memoryExceeded(maxResidentBytes: number) {
  const message =
    `The import needs more than ${maxResidentBytes} bytes of memory and was ended; chats that were reported are kept. ` +
    'Split the file, or raise IMPORT_MEMORY_BYTES, or use npm run import';
  return refused(message, 'TOO_LARGE', 413);
}

/** The server comes first where processors are few. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended, or the system does not allow it.
  }
}
