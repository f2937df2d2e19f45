/** Imports a file that a user uploaded, and reports it as objects, which become JSON Lines. */
import type { ConversationStore } from '../../conversation/store.js';
import type { Files } from '../../files/files.js';
import { openSourceFile, readerNamed, UnreadableError } from '@parley/interchange/server';
import { importFile } from './import-file.js';
import type { Adopt } from './parley/adopt-chat.js';

/** Plain data, because it is sent to another process. */
export interface UploadedFile {
  path: string;
  /** The user's name of the file; null when unknown. */
  fileName: string | null;
  /** The owner of the chats. */
  owner: string;
  /** The user who is recorded as the author of all events; null keeps those of the file, for admins. */
  actor: string | null;
  /** The name of a reader; null: each value is recognized by its shape. */
  format: string | null;
  /** The chat that its first conversation continues. */
  into: string | null;
}

/** Bytes of the file that were read, and its size; null when unknown. */
export interface ImportProgress {
  read: number;
  of: number | null;
}

export interface UploadReport {
  /** Takes a line: `conversation` or `couldNotRead`, both with the progress, or, as the last, `totals`. */
  write(line: object): void;
  /** Awaited between conversations; an error ends the import. */
  pause(): Promise<void>;
  /** Called once the file is open. */
  onOpen(progress: () => ImportProgress): void;
}

/** @throws UnreadableError before the first line, without the path in its message; any error of the database */
export async function importUpload(
  { store, adopt, files }: { store: ConversationStore; adopt: Adopt; files: Files },
  { path, fileName, owner, actor, format, into }: UploadedFile,
  { write, pause, onOpen }: UploadReport,
): Promise<void> {
  const file = await openSourceFile(path, fileName).catch((error: unknown) => {
    if (!(error instanceof UnreadableError)) throw error;
    throw new UnreadableError(`The body cannot be read: ${error.message.replaceAll(path, 'it')}`);
  });
  try {
    const progress = (): ImportProgress => ({ read: file.bytesRead(), of: file.size });
    onOpen(progress);
    const report = await importFile(store, owner, file, {
      format: format === null ? null : (readerNamed(format) ?? null),
      into,
      adopting: { adopt, owner, actor },
      files,
      onRead: (read) => {
        if (read === null) return;
        write({ ...('reason' in read ? { couldNotRead: read } : { conversation: read }), progress: progress() });
      },
      pause,
    });
    // Users of the server must not see details of its database.
    if (report.databaseError !== null) throw report.databaseError;
    write({ totals: report.totals(), leftOut: report.notes.kept, couldNotRead: report.failures.kept });
  } finally {
    await file.close();
  }
}
