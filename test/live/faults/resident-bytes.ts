import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The resident memory of a process, in bytes. */
export function residentBytes(pid: number): number {
  const kilobytes =
    process.platform === 'linux'
      ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kilobytes) * 1024;
}

/** The peak since the start of the process on Linux; on other systems the current value. */
export function mostResidentBytes(pid: number): number {
  if (process.platform !== 'linux') return residentBytes(pid);
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
