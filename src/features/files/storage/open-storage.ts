import { FileStorageError, type FileStorage } from '../../../files/file-storage.js';
import { openFolderStorage } from './folder-storage.js';
import { openS3Storage } from './s3-storage.js';
import { parseS3Url } from './s3-url.js';

/**
 * Opens a storage outside the database.
 * @param url `file:` and a folder relative to the working directory, or `s3://bucket/prefix?region=…&endpoint=…`
 * @param isReadOnly creates no folder, and deletes nothing in it
 * @throws Error with the reason, without secrets, when the URL is invalid or the folder not writable
 */
export async function openFileStorage(url: string, isReadOnly = false): Promise<FileStorage> {
  if (url.startsWith('s3:')) return openS3Storage(locationOf(url));
  const [, folder] = /^file:(?!\/\/)\s*([^?#\s][^?#]*)$/.exec(url) ?? [];
  if (folder !== undefined) {
    return openFolderStorage(folder, isReadOnly).catch((error: unknown) => {
      throw error instanceof FileStorageError
        ? new FileStorageError(error.fault, `FILES_URL: ${error.message}`)
        : error;
    });
  }
  throw new Error(
    'FILES_URL must be file: and a folder, such as file:./data/files, or database, or s3://bucket/prefix?region=…',
  );
}

function locationOf(url: string) {
  try {
    return parseS3Url(url);
  } catch (error) {
    throw new Error(`FILES_URL ${(error as Error).message}`, { cause: error });
  }
}
