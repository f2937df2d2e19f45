import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** How much of the machine's memory a process has at present, in bytes. */
export function residentBytes(pid: number): number {
  const kilobytes =
    process.platform === 'linux'
      ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kilobytes) * 1024;
}

/** The most that it has had since its start, where the system tells: Linux does; elsewhere as much as at present. */
export function mostResidentBytes(pid: number): number {
  if (process.platform !== 'linux') return residentBytes(pid);
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
