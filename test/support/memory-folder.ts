/** A folder in memory for test files: on a disk, creating and closing databases mostly waits for the disk. */
import { readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
/** In bytes: twice the usage of two concurrent test files. The 64 MB of containers are too small. */
const ROOM = 4 * 1024 ** 3;

/** A folder in memory with enough space that allows executables; undefined without one. */
export function memoryFolder(): string | undefined {
  try {
    const options =
      readFileSync('/proc/mounts', 'utf8')
        .match(/^\S+ \/dev\/shm tmpfs (\S+)/m)?.[1]
        ?.split(',') ?? [];
    const { bavail, bsize } = statfsSync(FOLDER);
    return options.includes('rw') && !options.includes('noexec') && bavail * bsize >= ROOM ? FOLDER : undefined;
  } catch {
    return undefined;
  }
}
