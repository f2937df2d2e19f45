/** Room for what is too large for memory: files that are gone with what they are for. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceFile } from './source-text.js';
import { UnreadableError } from './unreadable.js';

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EACCES', 'EPERM', 'ENOENT', 'EMFILE', 'ENFILE']);

/**
 * What is done with temporary files.
 * @throws UnreadableError where the disk has no room for them
 */
export function withRoom<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw roomFault(error);
  }
}

/** @returns the error itself when it is about something else */
export function roomFault(error: unknown): unknown {
  if (!NO_ROOM.has((error as NodeJS.ErrnoException).code ?? '')) return error;
  return new UnreadableError('there is no room for temporary files, which it needs: TMPDIR says where they are');
}

/**
 * Opens what is put into a folder of its own, which is gone when that is closed, or cannot be opened.
 * @throws UnreadableError where the disk has no room for it
 */
export async function openInFolder(open: (folder: string) => Promise<SourceFile>): Promise<SourceFile> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-import-')).catch((error: unknown) => {
    throw roomFault(error);
  });
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const file = await open(folder);
    return { ...file, close: () => file.close().finally(remove) };
  } catch (error) {
    await remove();
    throw roomFault(error);
  }
}
