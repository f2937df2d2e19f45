import { readdirSync, readFileSync } from 'node:fs';

/** The ids of a server's import processes, from /proc on Linux. */
export function importProcesses(serverPid: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const [, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
        return Number(parent) === serverPid && isImporting(pid);
      } catch {
        // Not a process, or a process that has just ended.
        return false;
      }
    });
}

export function isImporting(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('import-process');
  } catch {
    return false;
  }
}
