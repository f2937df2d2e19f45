/** Why something cannot be written, in words. */
const REASONS: Record<string, string> = {
  ENOSPC: 'there is no room left on its disk',
  EDQUOT: 'there is no room left for this user on its disk',
  EFBIG: 'it would be larger than files may be',
  EACCES: 'it is not permitted',
  EPERM: 'it is not permitted',
  EROFS: 'its file system is read-only',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is none',
  EEXIST: 'there is a file of this name',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
  EPIPE: 'whoever read it has gone',
  ERR_STREAM_PREMATURE_CLOSE: 'it was closed before all was written',
};

/** @returns the error itself when it is about something else */
export function writeFailure(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const reason = REASONS[code ?? ''];
  // Files that are read have such errors, too, and connections.
  if (reason === undefined || syscall === 'connect') return error;
  return new Error(`${path} cannot be written: ${reason}`, { cause: error });
}
