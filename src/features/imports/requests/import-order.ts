/** Messages between the server and the process that imports one file. */
import type { DatabaseUnavailableError, UpgradeRequiredError } from '../../../conversation/errors.js';
import type { CommittedChange, ProcessSettings } from '../../../feature.js';
import type { FileStorageFault } from '../../../files/file-storage.js';
import type { ImportProgress, UploadedFile } from '../import-upload.js';

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
