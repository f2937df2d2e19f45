/** A PgBouncer for one test. Runs the installed pgbouncer, which refuses to run as root. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PATIENCE_MS } from '../patience.js';
import { temporaryFolder } from '../temporary-folder.js';
import { freePort } from './free-port.js';

const PLACES = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'];

const pgbouncerPath = PLACES.find((path) => existsSync(path));

/** Appended to the titles of skipped tests. */
export const noPgbouncer =
  pgbouncerPath === undefined ? ' (skipped: no pgbouncer on this machine; Debian has a package pgbouncer)' : '';

/**
 * Starts it before the server of a URL, until the end of the test.
 * @param settings lines of its section [pgbouncer]
 * @returns the URL through it, with the same user and password
 */
export async function startPgbouncer(url: string, settings: readonly string[]): Promise<string> {
  const { hostname, port, username, password } = new URL(url);
  const through = new URL(url);
  through.port = String(await freePort());
  const folder = temporaryFolder();
  const users = join(folder, 'users.txt');
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
  const lines = [
    ...['[databases]', `* = host=${hostname} port=${port}`, '[pgbouncer]', 'listen_addr = 127.0.0.1'],
    ...[`listen_port = ${through.port}`, 'unix_socket_dir =', 'auth_type = scram-sha-256', `auth_file = ${users}`],
    ...settings,
  ];
  writeFileSync(configuration, lines.join('\n'));
  // Its folder is of root, and its user another one.
  chmodSync(folder, 0o755);
  const asUser =
    process.getuid?.() === 0 ? { uid: Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' })) } : {};
  const child = spawn(pgbouncerPath!, [configuration], { ...asUser, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => reject(new Error(`PgBouncer did not start in time:\n${output}`)), PATIENCE_MS);
    child.once('close', () => reject(new Error(`PgBouncer ended:\n${output}`)));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      if (output.length < 100_000) output += piece;
      if (!output.includes('process up')) return;
      clearTimeout(timer);
      resolve();
    });
  });
  return through.href;
}
