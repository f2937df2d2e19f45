/** Explains why a file cannot be written. */
const REASONS: Record<string, string> = {
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'the disk quota of this user is used up',
  EFBIG: 'it exceeds the largest possible file size',
  EACCES: 'it is not permitted',
  EPERM: 'it is not permitted',
  EROFS: 'its file system is read-only',
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its parent path is not a directory',
  EEXIST: 'a file of this name exists',
  EISDIR: 'it is a directory',
  ENAMETOOLONG: 'its name is too long',
  EPIPE: 'its reader was closed',
  ERR_STREAM_PREMATURE_CLOSE: 'it was closed before everything was written',
};

/** @returns the error itself when it has another cause */
export function writeFailure(error: unknown, path: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const reason = REASONS[code ?? ''];
  // Reads and connections fail with the same codes.
  if (reason === undefined || syscall === 'connect') return error;
  return new Error(`${path} cannot be written: ${reason}`, { cause: error });
}
