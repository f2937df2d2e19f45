import { runCopy } from '../../src/cli/copy-command.js';

/** `npm run copy` in this process. */
export async function copy(...args: string[]): Promise<{ code: number; out: string[]; error: string[] }> {
  const out: string[] = [];
  const error: string[] = [];
  const terminal = { out: (line: string) => out.push(line), error: (line: string) => error.push(line), progress: null };
  return { code: await runCopy(args, terminal), out, error };
}

export function copyFromTo(from: string, to: string) {
  return copy('--from', from, '--to', to);
}

/** What it says at last when both hold the same. */
export const SAME = 'Both databases hold the same: every chat has the same checksum in both.';
