/** Measures a process from outside, which the process cannot prevent. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Resident memory of a process in bytes; null on systems without /proc, and after its end. */
export async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** Bytes of all files below a folder. Files that disappear meanwhile count as 0. */
export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null);
    if (found?.isFile() === true) bytes += found.size;
  }
  return bytes;
}
