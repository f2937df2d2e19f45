import { command } from '../../../src/features/copies/command.js';
import { runHere } from '../../cli/run-here.js';

/** `npm run copy` in this process. */
export const copy = (...args: string[]) => runHere('copy', command, args, {});

export function copyFromTo(from: string, to: string) {
  return copy('--from', from, '--to', to);
}

/** The last line of the output if both databases are equal. */
export const SAME = 'Both databases hold the same: every chat has the same checksum in both.';
