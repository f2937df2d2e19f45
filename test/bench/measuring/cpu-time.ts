/** What a server's process has used of the processors, as the system counts it. */
import { existsSync, readFileSync } from 'node:fs';

/** Whether the system reports the processor time of other processes. */
export const canReadCpuTime = existsSync('/proc/self/stat');

/** The kernel counts in hundredths of a second, whatever its own clock is. */
const TICK_MS = 10;

/** What a process has used of the processors since it began, in milliseconds: its own code and the kernel's for it. */
export function cpuTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets comes first, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
