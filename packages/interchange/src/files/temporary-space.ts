/** Room for what is too large for memory: files that are gone with what they are for. */
import type { SourceFile } from './source-text.js';
import { createTemporaryFolder, type TemporaryFolder } from './temporary-folder.js';
import { UnreadableError } from './unreadable.js';

const NO_SPACE_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'ENOENT', 'EMFILE', 'ENFILE']);

/**
 * What is done with temporary files.
 * @throws UnreadableError where the disk has no room for them
 */
export function withTemporarySpace<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw temporarySpaceFault(error);
  }
}

/** @returns the error itself when it is about something else */
export function temporarySpaceFault(error: unknown): unknown {
  if (!NO_SPACE_CODES.has((error as NodeJS.ErrnoException).code ?? '')) return error;
  return new UnreadableError('there is no room for temporary files, which it needs: TMPDIR says where they are');
}

/**
 * Opens what is put into a folder of its own, which is gone when that is closed, or cannot be opened.
 * @throws UnreadableError where the disk has no room for it
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
