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

/** The peak since its start on Linux; on other systems the present value. */
export function mostResidentBytes(pid: number): number {
  if (process.platform !== 'linux') return residentBytes(pid);
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
