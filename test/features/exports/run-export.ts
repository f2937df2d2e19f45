import { Writable } from 'node:stream';
import { command as exportCommand } from '../../../src/features/exports/command.js';
import { command as importCommand } from '../../../src/features/imports/command.js';
import { runHere } from '../../cli/run-here.js';

/** Runs `npm run export` in this process. @returns its standard output */
export async function exportFrom(url: string, ...args: string[]) {
  const pieces: Buffer[] = [];
  const output = new Writable({ write: (piece: Buffer, _, done) => (pieces.push(piece), done()) });
  const ended = await runHere('export', exportCommand, args, { environment: { DATABASE_URL: url }, output });
  return { ...ended, text: Buffer.concat(pieces).toString() };
}

/** `npm run import` in this process. */
export const importTo = (url: string, ...args: string[]) =>
  runHere('import', importCommand, args, { environment: { DATABASE_URL: url, MIGRATE_ON_START: 'true' } });
