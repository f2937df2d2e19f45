/** All imports of a server: their queue, memory and files on disk. */
import type { Archive } from '../../conversation/archive.js';
import type { ConversationStore } from '../../conversation/store.js';
import { UnreadableError } from '@parley/interchange/server';
import { lockTemporaryFolders, removeAbandonedFolders } from '../../system/locked-folders.js';
import type { ConversationReport } from '../../interchange/importing/import-report.js';
import { importUpload } from '../../interchange/importing/import-upload.js';
import type { Files, FileSettings } from '../../files/files.js';
import type { Limits } from '../../limits/limits.js';
import type { Spool, SpooledFiles } from '../../limits/spool.js';
import { FairLimiter } from '../../scheduler/fair-limiter.js';
import type { ImportDatabase, ImportedChange } from './import-order.js';
import { runImportProcess, type ImportRun } from './import-runner.js';
import { badRequest } from '../requests/transfer-request.js';
import type { UploadLimits } from '../requests/upload.js';

/** Bytes of memory with which one process imports a conversation of 200,000 messages. */
const MEMORY_PER_PROCESS = 512 * 1024 ** 2;
const MAX_PROCESSES = 4;
const CLEANING_INTERVAL_MS = 60 * 60_000;

export interface ImportsOptions {
  /** Null for an in-memory database, which other processes cannot open: imports then run in this process. */
  database: ImportDatabase | null;
  store: ConversationStore;
  archive: () => Archive;
  files: Files;
  /** Opens the same files in other processes. */
  fileSettings: FileSettings;
  limits: Pick<Limits, 'importMemoryBytes' | 'importTimeoutMs' | keyof UploadLimits>;
  /** Counts the files of imports on disk. */
  spool: Spool;
  /** Whether users are authenticated and have fair shares. */
  areUsersKnown: boolean;
  /** Called with each change that an import has committed in another process. */
  onChange(change: ImportedChange): void;
  /** Called with the error of an import before it is thrown. */
  onError(error: unknown): void;
}

export class Imports {
  readonly uploadLimits: UploadLimits;
  readonly #turns: FairLimiter;
  readonly #bytesOfEach: number;
  readonly #open = new Set<Promise<void>>();
  #cleaning: NodeJS.Timeout | undefined;

  constructor(private readonly options: ImportsOptions) {
    // Imports of a database in memory run in this process.
    lockTemporaryFolders();
    const { limits, areUsersKnown } = options;
    const { processes, bytesOfEach } = shareImportMemory(limits.importMemoryBytes);
    this.uploadLimits = limits;
    this.#bytesOfEach = bytesOfEach;
    // Leaves one process for other users.
    this.#turns = new FairLimiter({
      concurrency: processes,
      perUser: areUsersKnown ? Math.max(1, processes - 1) : processes,
    });
  }

  /** Deletes the folders of processes that were killed, now and every hour. */
  start(): void {
    void removeAbandonedFolders();
    this.#cleaning = setInterval(() => void removeAbandonedFolders(), CLEANING_INTERVAL_MS).unref();
  }

  /** Settles when all imports ended and their files are deleted. Their clients must be disconnected. */
  async close(): Promise<void> {
    clearInterval(this.#cleaning);
    await Promise.allSettled(this.#open);
  }

  /** Counts an import and its files from its first byte to the deletion of its files. */
  async during(userId: string, work: (spooled: SpooledFiles) => Promise<void>): Promise<void> {
    const spooled = this.options.spool.hold(userId);
    const done = work(spooled).finally(() => spooled.release());
    this.#open.add(done);
    await done.finally(() => this.#open.delete(done));
  }

  /**
   * Runs an import when it is the user's turn.
   * @throws the errors of runImportProcess
   */
  async run(run: ImportRun, userId: string): Promise<void> {
    const endTurn = await this.#turns.begin({ userId, signal: run.signal });
    try {
      run.onProgress({ read: 0, of: null });
      const { database, fileSettings: files, limits, onChange } = this.options;
      const bounds = { maxResidentBytes: this.#bytesOfEach, timeoutMs: limits.importTimeoutMs };
      if (database === null) await this.#runHere(run);
      else await runImportProcess(run, { database, files, ...bounds, onChange });
    } catch (error) {
      this.options.onError(error);
      throw error;
    } finally {
      endTurn();
    }
  }

  async #runHere({ file, lines, signal, onProgress, onChat }: ImportRun): Promise<void> {
    const { store, archive, files } = this.options;
    let report = () => {};
    try {
      await importUpload({ store, archive: archive(), files }, file, {
        write: (line) => {
          report();
          const { conversation } = line as { conversation?: Pick<ConversationReport, 'result' | 'chatId'> };
          if (conversation !== undefined && conversation.result !== 'unchanged') onChat(conversation.chatId);
          lines.writeLine(line);
        },
        pause: async () => {
          await lines.drained();
          signal.throwIfAborted();
        },
        onOpen: (opened) => (report = () => onProgress(opened())),
      });
    } catch (error) {
      throw error instanceof UnreadableError ? badRequest(error.message) : error;
    }
  }
}

/** The number of concurrent processes, and the bytes of memory of each. */
function shareImportMemory(bytes: number): { processes: number; bytesOfEach: number } {
  const processes = Math.min(MAX_PROCESSES, Math.max(1, Math.floor(bytes / MEMORY_PER_PROCESS)));
  return { processes, bytesOfEach: Math.floor(bytes / processes) };
}
