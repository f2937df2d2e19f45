import { Writable } from 'node:stream';
import { runExport } from '../../src/cli/export-command.js';
import { runImport } from '../../src/cli/import-command.js';

/** `npm run export` in this process, and what it wrote to standard output. */
export async function exportFrom(url: string, ...args: string[]) {
  const pieces: Buffer[] = [];
  const output = new Writable({ write: (piece: Buffer, _, done) => (pieces.push(piece), done()) });
  const { terminal, out, error } = listening();
  const code = await runExport(args, terminal, { DATABASE_URL: url }, output);
  return { code, out, error, text: Buffer.concat(pieces).toString() };
}

/** `npm run import` in this process. */
export async function importTo(url: string, ...args: string[]) {
  const { terminal, out, error } = listening();
  return { code: await runImport(args, terminal, { DATABASE_URL: url, MIGRATE_ON_START: 'true' }), out, error };
}

function listening() {
  const out: string[] = [];
  const error: string[] = [];
  const terminal = { out: (line: string) => out.push(line), error: (line: string) => error.push(line), progress: null };
  return { terminal, out, error };
}
