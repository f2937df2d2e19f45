/** Runs pg_dump and pg_restore. Passwords are passed in a file: arguments are visible to other users of the machine. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerUrl } from '../../../database/connection/database-url.js';
import { createLockedFolder } from '../../../system/locked-folders.js';

/** Bytes of the last messages of a program. */
const MAX_MESSAGE_CHARACTERS = 2_000;

/**
 * @param argumentsFor gets the URL for the program
 * @throws Error that says what is missing or what the program reported
 */
export async function runPostgresqlProgram(
  program: 'pg_dump' | 'pg_restore',
  url: ServerUrl,
  argumentsFor: (url: string) => readonly string[],
): Promise<void> {
  const folder = createLockedFolder();
  try {
    await run(program, argumentsFor(await withPassfile(url.url, join(folder.path, 'password'))));
  } finally {
    folder.remove();
  }
}

async function withPassfile(given: string, path: string): Promise<string> {
  const url = new URL(given);
  if (url.password === '') return given;
  const password = decodeURIComponent(url.password).replace(/[:\\]/g, '\\$&');
  await writeFile(path, `*:*:*:*:${password}\n`, { mode: 0o600, flag: 'wx' });
  url.password = '';
  url.searchParams.set('passfile', path);
  return url.href;
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const { code, messages } = await new Promise<{ code: number | null; messages: string }>((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let messages = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      messages = (messages + text).slice(-MAX_MESSAGE_CHARACTERS);
    });
    child.once('error', (error: NodeJS.ErrnoException) => reject(error.code === 'ENOENT' ? missing(program) : error));
    child.once('close', (code) => resolve({ code, messages }));
  });
  if (code === 0) return;
  const [, rule] = RULES.find(([fault]) => fault.test(messages)) ?? [];
  throw new Error([`${program} failed: ${messages.trim() || `exit code ${code}`}`, rule ?? []].flat().join('; '));
}

const VERSION_RULE = 'pg_dump and pg_restore must have the major version of the PostgreSQL server, or a newer one';

/** Remedies for messages of the programs. */
const RULES: readonly [fault: RegExp, rule: string][] = [
  [/version mismatch|unsupported version/, VERSION_RULE],
  [
    /permission denied/,
    'use the URL of the owner of the tables, or grant the rights of this version again: see docs/databases.md',
  ],
];

function missing(program: string): Error {
  return new Error(
    `${program} was not found on PATH: install the client programs of PostgreSQL (on Debian postgresql-client). ${VERSION_RULE}`,
  );
}
