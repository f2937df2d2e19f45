/** Where the files of tests are in memory: waiting for a disk is a good part of what it takes to make a database, and to close it. */
import { readFileSync, statfsSync } from 'node:fs';

const FOLDER = '/dev/shm';
/** In bytes: what two files of tests may need at once, and so much again. Containers have 64 MB there, and do not do. */
const ROOM = 4 * 1024 ** 3;

/** A folder that is in memory, has room, and from which programs may be run; undefined where there is none. */
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
