/**
 * The process that imports one uploaded file: see import-runner.ts. Lines for the client go to stdout,
 * news for the server over IPC.
 */
import '../modest-heap.js';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailableError, UpgradeRequiredError } from '../../../conversation/errors.js';
import { openDatabase, type OpenOptions } from '../../../database/opening/open.js';
import type { CommittedChange, ProcessSettings } from '../../../feature.js';
import { adopterOf } from '../parley/adopt-chat.js';
import type { FileService } from '../../../file-service.js';
import type { FileSettings } from '../../../files/files.js';
import { FileStorageError, type FileStorageFault } from '../../../files/file-storage.js';
import { createTemporaryFolder, UnreadableError } from '@parley/interchange/server';
import { createTemporaryFoldersIn } from '../../../system/locked-folders.js';
import { importUpload, type ImportProgress, type UploadedFile } from '../import-upload.js';

/** The first and only message to the process. */
export interface ImportOrder {
  database: ProcessSettings;
  file: UploadedFile;
  /** The server deletes it; contains all temporary files of the process. */
  folder: string;
}

/** Messages from the process. The last one is `done`, `unreadable`, `unavailable`, `unstorable` or `failed`; a process that dies sends none. */
export type ImportNews =
  | { change: CommittedChange }
  | { progress: ImportProgress; /** Bytes in memory, for systems without /proc. */ residentBytes: number }
  | { done: true }
  /** The file cannot be read, and nothing was imported. */
  | { unreadable: string }
  /** The database cannot be used. */
  | { unavailable: string; code: (DatabaseUnavailableError | UpgradeRequiredError)['code'] }
  /** The storage of files cannot be used. */
  | { unstorable: string; fault: FileStorageFault }
  /** An unexpected error, with its stack. */
  | { failed: string };

const NEWS_INTERVAL_MS = 250;
/** Other writers on a SQLite file retry every 50 ms: without pauses, an import would block the server's own changes. */
const MAX_WRITING_MS = 100;
const PAUSE_MS = 60;
/** One that reads, and one that writes. */
const POSTGRESQL_CONNECTIONS = '2';

/** When it is time to let other writers on the database proceed. */
class WritePauses {
  #since = performance.now();
  #hasWritten = false;

  noteChange(): void {
    this.#hasWritten = true;
  }

  async pauseIfDue(): Promise<void> {
    if (!this.#hasWritten || performance.now() - this.#since < MAX_WRITING_MS) return;
    await sleep(PAUSE_MS);
    this.#since = performance.now();
    this.#hasWritten = false;
  }
}

type OpenFeatures = (options: object) => NonNullable<OpenOptions['hooksOf']>;

/** @param openFeatures opens all features with the options of the order */
export function answerOrder(openFeatures: OpenFeatures, files: FileService): void {
  // The server decides when the process ends: signals of a terminal or a supervisor reach both.
  process.on('SIGINT', () => {}).on('SIGTERM', () => {});
  // Without its server, the process has no client.
  process.on('disconnect', () => process.exit(1));
  process.stdout.on('error', () => process.exit(1));
  process.once('message', (order) => void answer(order as ImportOrder, openFeatures, files));
}

async function answer(order: ImportOrder, openFeatures: OpenFeatures, files: FileService): Promise<void> {
  const news = await run(order, openFeatures, files).then((): ImportNews => ({ done: true }), failureNews);
  // Both channels are empty then.
  send(news, () => process.stdout.write('', () => process.exit()));
}

async function run(
  { database: { url, features, ...options }, file, folder }: ImportOrder,
  openFeatures: OpenFeatures,
  service: FileService,
): Promise<void> {
  createTemporaryFoldersIn(folder);
  const pauses = new WritePauses();
  const onChange = (change: CommittedChange) => {
    pauses.noteChange();
    send({ change });
  };
  const database = await openDatabase({
    url: withFewConnections(url),
    ...options,
    hooksOf: openFeatures(features),
    isChecked: true,
    onChange,
  }).catch((cause: unknown) => {
    // The server has it open.
    throw new DatabaseUnavailableError('The database cannot be used', { cause });
  });
  const settings = { ...(features as Omit<FileSettings, 'databaseUrl'>), databaseUrl: url };
  const { files, close } = await service.open(settings, database.connection, createTemporaryFolder);
  // From now on, changes fail when a newer version has migrated the database.
  await database.obstacles();
  let progress = (): ImportProgress => ({ read: 0, of: null });
  const timer = setInterval(
    () => send({ progress: progress(), residentBytes: process.memoryUsage.rss() }),
    NEWS_INTERVAL_MS,
  );
  try {
    await importUpload({ store: database.store, adopt: adopterOf(database.connection, onChange), files }, file, {
      write: (line) => void process.stdout.write(`${JSON.stringify(line)}\n`),
      pause: async () => {
        if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain');
        await pauses.pauseIfDue();
      },
      onOpen: (opened) => (progress = opened),
    });
  } finally {
    clearInterval(timer);
    await close();
    await database.store.close();
  }
}

function send(news: ImportNews, sent?: () => void): void {
  process.send?.(news, undefined, undefined, sent);
}

function failureNews(error: unknown): ImportNews {
  if (error instanceof UnreadableError) return { unreadable: error.message };
  if (error instanceof DatabaseUnavailableError || error instanceof UpgradeRequiredError) {
    return { unavailable: error.message, code: error.code };
  }
  if (error instanceof FileStorageError) return { unstorable: error.message, fault: error.fault };
  return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** The server and its other imports need connections, too. */
function withFewConnections(url: string): string {
  if (!/^postgres(ql)?:/.test(url)) return url;
  const limited = new URL(url);
  limited.searchParams.set('connection_limit', POSTGRESQL_CONNECTIONS);
  return limited.href;
}
