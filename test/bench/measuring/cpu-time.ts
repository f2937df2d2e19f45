/** Reads the processor time of a server process, as reported by the system. */
import { existsSync, readFileSync } from 'node:fs';

/** Whether the system reports the processor time of other processes. */
export const canReadCpuTime = existsSync('/proc/self/stat');

/** The kernel reports hundredths of a second, regardless of its own clock. */
const TICK_MS = 10;

/** The processor time of a process since its start, in milliseconds: user and kernel time. */
export function cpuTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name in brackets comes first, and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
