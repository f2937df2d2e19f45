/** Runs the client programs of PostgreSQL. Passwords are passed in a file: arguments are visible to other users of the machine. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ServerUrl } from '../../../database/connection/database-url.js';
import { createLockedFolder } from '../../../system/locked-folders.js';

/** Bytes of the last messages of a program. */
const MAX_MESSAGE_CHARACTERS = 2_000;

type Program = 'pg_dump' | 'pg_restore' | 'psql';

/**
 * Writes a dump in PostgreSQL's custom format, and reads the whole dump.
 * @param options further options of pg_dump
 * @throws Error that says what is missing or what the program reported
 */
export async function writeDump(url: ServerUrl, path: string, options: readonly string[]): Promise<void> {
  await withTarget(url, async (target) => {
    const dump = start('pg_dump', ['--format=custom', `--file=${path}`, ...options, `--dbname=${target}`]);
    throwIf(await dump.fault);
  });
  throwIf(await start('pg_restore', [`--file=${devNull}`, path]).fault);
}

/**
 * Restores a dump in one transaction, which commits only after the whole dump was read. psql executes it, because
 * pg_restore itself cannot restore into servers older than its version: see `withKnownParameters`.
 * @throws Error that says what is missing or what the program reported
 */
export async function restoreDump(url: ServerUrl, path: string): Promise<void> {
  await withTarget(url, async (target) => {
    const dump = start('pg_restore', ['--file=-', path]);
    const psql = start('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', `--dbname=${target}`]);
    // When psql ends early, its fault has the reason.
    psql.stdin.on('error', () => {}).write('BEGIN;\n');
    const sending = pipeline(dump.stdout, withKnownParameters, psql.stdin, { end: false });
    const isSent = await sending.then(
      () => true,
      () => false,
    );
    if (!isSent) dump.kill();
    const dumpFault = await dump.fault;
    psql.stdin.end(isSent && dumpFault === null ? 'COMMIT;\n' : '');
    const psqlFault = await psql.fault;
    throwIf(isSent ? (dumpFault ?? psqlFault) : (psqlFault ?? dumpFault));
  });
}

/** Sets `transaction_timeout`, which pg_restore 17 and newer set first, only on servers that have it. */
async function* withKnownParameters(script: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const piece of script) {
    if (head === null) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\nSET client_encoding');
    if (end === -1) continue;
    const settings = head.toString('utf8', 0, end).replace(/^SET (transaction_timeout) = 0;$/m, SET_IF_KNOWN);
    yield Buffer.from(settings);
    yield head.subarray(end);
    head = null;
  }
  if (head !== null) yield head;
}

const SET_IF_KNOWN = `SELECT set_config(name, '0', false) FROM pg_catalog.pg_settings WHERE name = '$1';`;

/** Calls `use` with a URL whose password is in a temporary file. */
async function withTarget(url: ServerUrl, use: (target: string) => Promise<void>): Promise<void> {
  const folder = createLockedFolder();
  try {
    await use(await withPassfile(url.url, join(folder.path, 'password')));
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

/** @returns the running program; `fault` is null when it has ended with exit code 0 */
function start(program: Program, args: readonly string[]) {
  const child = spawn(program, args, { stdio: 'pipe' });
  if (program !== 'pg_restore') child.stdout.resume();
  let messages = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    messages = (messages + text).slice(-MAX_MESSAGE_CHARACTERS);
  });
  const fault = new Promise<Error | null>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ENOENT' ? missing(program) : error));
    child.once('close', (code) =>
      resolve(code === 0 ? null : failure(program, messages.trim() || `exit code ${code}`)),
    );
  });
  return { stdin: child.stdin, stdout: child.stdout, kill: () => child.kill(), fault };
}

function throwIf(fault: Error | null): void {
  if (fault !== null) throw fault;
}

function failure(program: Program, messages: string): Error {
  const [, rule] = RULES.find(([fault]) => fault.test(messages)) ?? [];
  return new Error([`${program} failed: ${messages}`, rule ?? []].flat().join('; '));
}

const VERSION_RULE =
  'pg_dump, pg_restore and psql must have the major version of the PostgreSQL server, or a newer one';

/** Remedies for messages of the programs. */
const RULES: readonly [fault: RegExp, rule: string][] = [
  [/version mismatch|unsupported version/, VERSION_RULE],
  [
    /permission denied/,
    'use the URL of the owner of the tables, or grant the rights of this version again: see docs/databases.md',
  ],
];

function missing(program: Program): Error {
  return new Error(
    `${program} was not found on PATH: install the client programs of PostgreSQL (on Debian postgresql-client). ${VERSION_RULE}`,
  );
}
