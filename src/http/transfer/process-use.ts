/** Measures a process from outside, where it cannot prevent it. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of memory that a process occupies; null on systems without /proc, and when it has ended. */
export async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** Bytes of all files in a folder and below. Files that disappear meanwhile count nothing. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile() === true) bytes += found.size;
  }
  return bytes;
}
