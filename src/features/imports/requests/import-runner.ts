/**
 * Runs an import in a separate process, so that no file can exhaust memory or processor of the server, or crash it.
 * The server enforces the bounds of the process and forwards its lines to the client.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ImportProgress, UploadedFile } from '../import-upload.js';
import type { CommittedChange, ProcessSettings } from '../../../feature.js';
import { FileStorageError } from '../../../files/file-storage.js';
import type { SpooledFiles } from '../../../limits/spool.js';
import type { ImportNews, ImportOrder } from './import-process.js';
import type { JsonLinesResponse } from '../../../http/transfer/json-lines-response.js';
import { badRequest, refused } from '../../../http/requests/transfer-request.js';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Tests and benches run the sources after a build. */
const BUILT = import.meta.url.endsWith('.ts') ? '../../../../dist/' : '../../../';
const PROGRAM = fileURLToPath(new URL(`${BUILT}import-process.js`, import.meta.url));

/** The program, buffers and pages of SQLite use the rest of the memory. */
const SHARE_OF_HEAP = 5 / 8;
/** Lower priority than the server. */
const NICENESS = 5;
const CHECK_INTERVAL_MS = 50;
const CHECKS_PER_DISK_CHECK = 5;
const MAX_STDERR_CHARACTERS = 4_000;
/** Node aborts when its heap is full. */
const SIGNALS_OF_FULL_HEAP: readonly (string | null)[] = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

export interface ImportRun {
  file: UploadedFile;
  /** Contains the file, and all temporary files of the process. */
  folder: string;
  lines: JsonLinesResponse;
  /** Counts the files in the folder of the import. */
  spooled: SpooledFiles;
  /** Aborted when the client leaves. */
  signal: AbortSignal;
  onProgress(progress: ImportProgress): void;
  /** Called with each chat that was changed, for a large one several times. */
  onChat(chatId: string): void;
}

export interface ImportRunnerOptions {
  settings: ProcessSettings;
  /** Bytes of memory that the process may occupy. */
  maxResidentBytes: number;
  /** Milliseconds that the process may run. */
  timeoutMs: number;
  /** Called with each change that the process has committed. */
  onChange(change: CommittedChange): void;
}

/**
 * Settles when the process has ended.
 * @throws GraphQLError when the file cannot be read, a bound ended the process or the database cannot be used,
 * FileStorageError, the reason of the signal, or Error with the stack of an unexpected error
 */
export async function runImportProcess(run: ImportRun, options: ImportRunnerOptions): Promise<void> {
  run.signal.throwIfAborted();
  await new ImportProcess(run, options).run();
}

class ImportProcess {
  readonly #child: ChildProcess;
  readonly #over = new AbortController();
  /** Aborted when the process is killed: nothing waits for the client any longer. */
  readonly #ending = new AbortController();
  #killedFor: Error | null = null;
  #lastNews: ImportNews | null = null;
  #reportedBytes = 0;
  #stderr = '';

  constructor(
    private readonly importRun: ImportRun,
    private readonly options: ImportRunnerOptions,
  ) {
    const heapMiB = Math.floor((options.maxResidentBytes * SHARE_OF_HEAP) / 1024 ** 2);
    const execArgv = [`--max-old-space-size=${heapMiB}`];
    this.#child = fork(PROGRAM, [], { execArgv, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    lowerPriority(this.#child);
    this.#child.on('message', (news: ImportNews) => this.#take(news));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR_CHARACTERS);
    });
  }

  async run(): Promise<void> {
    const { file, folder, lines, signal } = this.importRun;
    const ended = Promise.all([once(this.#child, 'close'), once(this.#child, 'disconnect')]);
    // A process that cannot be started fails before it is waited for.
    ended.catch(() => {});
    const leave = () => this.#kill(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const timer = setTimeout(() => this.#kill(timeExceeded(this.options.timeoutMs)), this.options.timeoutMs);
    const watching = this.#watch().catch((error: unknown) => this.#kill(error));
    try {
      this.#child.send({ database: this.options.settings, file, folder } satisfies ImportOrder, () => {});
      for await (const bytes of this.#child.stdout ?? []) {
        if (this.#killedFor !== null) continue;
        lines.forward(bytes as Buffer);
        await lines.drained(this.#ending.signal).catch((error: unknown) => this.#kill(error));
      }
      await ended;
    } finally {
      this.#over.abort();
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      await watching;
    }
    const failure = this.#killedFor ?? this.#failure();
    if (failure !== null) throw failure;
  }

  #kill(reason: unknown): void {
    this.#killedFor ??= reason as Error;
    this.#ending.abort(reason);
    this.#child.kill('SIGKILL');
  }

  #take(news: ImportNews): void {
    if ('change' in news) {
      this.options.onChange(news.change);
      this.importRun.onChat(news.change.chatId);
    } else if ('progress' in news) {
      this.importRun.onProgress(news.progress);
      this.#reportedBytes = news.residentBytes;
    } else this.#lastNews = news;
  }

  /** @throws GraphQLError when the process has more memory, or more files, than it may */
  async #watch(): Promise<void> {
    const { folder, spooled } = this.importRun;
    const { signal } = this.#over;
    for (let check = 1; !signal.aborted; check++) {
      await sleep(CHECK_INTERVAL_MS, undefined, { signal }).catch(() => {});
      const resident = (await residentBytes(this.#child.pid ?? 0)) ?? this.#reportedBytes;
      const onDisk = check % CHECKS_PER_DISK_CHECK === 0 ? await folderBytes(folder) : null;
      // Files of a process that has ended are deleted, and no longer counted.
      if (this.#over.signal.aborted) return;
      if (resident > this.options.maxResidentBytes) throw memoryExceeded(this.options.maxResidentBytes);
      if (onDisk !== null) spooled.setBytes(onDisk);
    }
  }

  #failure(): Error | null {
    const news = this.#lastNews;
    if (news === null) return this.#exitError();
    if ('unreadable' in news) return badRequest(news.unreadable);
    if ('unstorable' in news) return new FileStorageError(news.fault, news.unstorable);
    if ('unavailable' in news) return refused(news.unavailable, news.code, 503);
    return 'failed' in news ? new Error(`An import failed: ${news.failed}`) : null;
  }

  /** A process that sends no last news has been killed, or has aborted. */
  #exitError(): Error {
    const { signalCode, exitCode } = this.#child;
    if (signalCode === 'SIGKILL') return killed();
    if (SIGNALS_OF_FULL_HEAP.includes(signalCode)) return memoryExceeded(this.options.maxResidentBytes);
    return new Error(`An import process ended with ${signalCode ?? exitCode}: ${this.#stderr}`);
  }
}

const KEPT = 'and was ended; chats that were reported are kept';

function memoryExceeded(maxResidentBytes: number) {
  const message =
    `The import needs more than ${maxResidentBytes} bytes of memory ${KEPT}. ` +
    'Split the file, or raise IMPORT_MEMORY_BYTES, or use npm run import';
  return refused(message, 'TOO_LARGE', 413);
}

function killed() {
  const message = `The import was killed, possibly because the system lacks memory; chats that were reported are kept. Import the file again to continue`;
  return refused(message, 'OVERLOADED', 503);
}

function timeExceeded(timeoutMs: number) {
  const message =
    `The import took longer than ${timeoutMs} ms ${KEPT}. ` +
    'Import the file again to continue, or raise IMPORT_TIMEOUT_MS, or use npm run import';
  return refused(message, 'TIMEOUT', 503);
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, NICENESS);
  } catch {
    // The process has ended, or the system does not allow it.
  }
}

/** Resident memory of a process in bytes; null on systems without /proc, and after its end. */
async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** Bytes of all files below a folder. Files that disappear meanwhile count as 0. */
async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile() === true) bytes += found.size;
  }
  return bytes;
}
