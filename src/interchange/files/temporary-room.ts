/** Room for what is too large for memory: files that are gone with what they are for. */
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
