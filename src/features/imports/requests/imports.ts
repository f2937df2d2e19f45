/** All imports of a server: their queue, memory and files on disk. */
import type { ConversationStore } from '../../../conversation/store.js';
import { UnreadableError } from '@parley/interchange/server';
import { lockTemporaryFolders } from '../../../system/locked-folders.js';
import type { ConversationReport } from '../conversations/import-report.js';
import { adopterOf } from '../parley/adopt-chat.js';
import { importUpload } from '../import-upload.js';
import type { Connection } from '../../../database/connection/connection.js';
import type { Host, RouteServices } from '../../../feature.js';
import type { SpooledFiles } from '../../../limits/spool.js';
import { FairLimiter } from '../../../scheduler/fair-limiter.js';
import { runImportProcess, type ImportRun } from './import-runner.js';
import { badRequest } from '../../../http/requests/transfer-request.js';

/** Bytes of memory with which one process imports a conversation of 200,000 messages. */
const MEMORY_PER_PROCESS = 512 * 1024 ** 2;
const MAX_PROCESSES = 4;

export interface ImportServices extends RouteServices, Pick<Host, 'limits' | 'spool'> {
  store: ConversationStore;
  connection: Connection;
}

export class Imports {
  readonly #turns: FairLimiter;
  readonly #bytesOfEach: number;
  readonly #open = new Set<Promise<void>>();

  constructor(private readonly options: ImportServices) {
    // Imports of a database in memory run in this process.
    lockTemporaryFolders();
    const { limits, areUsersKnown } = options;
    const { processes, bytesOfEach } = shareImportMemory(limits.importMemoryBytes);
    this.#bytesOfEach = bytesOfEach;
    // Leaves one process for other users.
    this.#turns = new FairLimiter({
      concurrency: processes,
      perUser: areUsersKnown ? Math.max(1, processes - 1) : processes,
    });
  }

  /** Settles when all imports ended and their files are deleted. Their clients must be disconnected. */
  async close(): Promise<void> {
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
      const { processSettings: settings, limits, onChange } = this.options;
      const bounds = { maxResidentBytes: this.#bytesOfEach, timeoutMs: limits.importTimeoutMs };
      if (settings === null) await this.#runHere(run);
      else await runImportProcess(run, { settings, ...bounds, onChange });
    } catch (error) {
      throw this.options.files.note(error);
    } finally {
      endTurn();
    }
  }

  async #runHere({ file, lines, signal, onProgress, onChat }: ImportRun): Promise<void> {
    const { store, connection, files, onChange } = this.options;
    let report = () => {};
    try {
      await importUpload({ store, adopt: adopterOf(connection, onChange), files }, file, {
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
