/** Temporary files for data that is too large for memory. */
import type { SourceFile } from './source-text.js';
import { createTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';
import { UnreadableError } from '../file-values.js';

const NO_SPACE_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'ENOENT', 'EMFILE', 'ENFILE']);

/**
 * Runs an action with temporary files.
 * @throws UnreadableError when the disk is full
 */
export function withTemporarySpace<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw temporarySpaceFault(error);
  }
}

/** @returns the error itself for other errors */
export function temporarySpaceFault(error: unknown): unknown {
  if (!NO_SPACE_CODES.has((error as NodeJS.ErrnoException).code ?? '')) return error;
  return new UnreadableError('temporary files cannot be written: free disk space, or set TMPDIR to another folder');
}

/**
 * Opens a file in a new temporary folder, which is deleted when the file is closed or cannot be opened.
 * @throws UnreadableError when the disk is full
 */
export async function openInFolder(open: (folder: string) => Promise<SourceFile>): Promise<SourceFile> {
  let folder: TemporaryFolder | null = null;
  try {
    const { path, remove } = (folder = createTemporaryFolder());
    const file = await open(path);
    return { ...file, close: () => file.close().finally(remove) };
  } catch (error) {
    folder?.remove();
    throw temporarySpaceFault(error);
  }
}
