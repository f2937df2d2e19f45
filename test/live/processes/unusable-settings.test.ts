/** Settings with valid values that this machine cannot use: the start fails, and the error names the variable. */
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startConfigured } from '../../support/server/configured-server.js';
import { failToStart, type Settings } from '../../support/server/server-process.js';
import { SECRET } from '../../support/server/tokens.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A folder, and a file in it. */
function places() {
  const folder = join(temporaryFolder(), 'folder');
  const file = join(folder, 'file');
  mkdirSync(folder);
  writeFileSync(file, 'text');
  return { folder, file };
}
type Places = ReturnType<typeof places>;

const CASES: [variable: string, settings: (places: Places) => Partial<Settings>, reason: RegExp][] = [
  ['DATABASE_URL', ({ folder }) => ({ DATABASE_URL: `file:${folder}` }), /it is not a file/],
  ['DATABASE_URL', ({ file }) => ({ DATABASE_URL: `file:${file}` }), /it is not a database: it has 4 bytes/],
  ['DATABASE_URL', ({ file }) => ({ DATABASE_URL: `file:${file}/parley.db` }), /ENOTDIR/],
  ['DATABASE_URL', () => ({ DATABASE_URL: 'file:/proc/x/parley.db' }), /ENOENT/],
  ['DATABASE_URL', () => ({ DATABASE_URL: 'postgresql://u:p@127.0.0.1:1/x' }), /ECONNREFUSED/],
  ['FILES_URL', ({ file }) => ({ FILES_URL: `file:${file}` }), /cannot be written: its parent path is not a directory/],
  ['FILES_URL', () => ({ FILES_URL: 'file:/proc/x' }), /folder \/proc\/x of files cannot be written: /],
  ['AUDIT_LOG', ({ folder }) => ({ AUDIT_LOG: folder }), /EISDIR/],
  ['AUDIT_LOG', () => ({ AUDIT_LOG: '/proc/x' }), /ENOENT/],
  ['HOST', () => ({ HOST: 'no..host' }), /cannot be resolved/],
  ['HOST', () => ({ HOST: 'no..host', AUTH_JWT_SECRET: SECRET }), /Cannot listen on no\.\.host/],
  ['HOST', () => ({ HOST: '192.0.2.1', AUTH_JWT_SECRET: SECRET }), /EADDRNOTAVAIL/],
  ['TRUSTED_PROXIES', () => ({ TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' }), /must not contain all addresses/],
  ['TRUSTED_PROXIES', () => ({ TRUSTED_PROXIES: '::/0' }), /must not contain all addresses/],
  ['REDIS_URL', () => ({ REDIS_URL: 'redis://127.0.0.1/one' }), /must be redis:/],
  [
    'TRUSTED_DOCUMENTS_MANIFEST',
    ({ folder }) => ({ TRUSTED_DOCUMENTS: 'only', TRUSTED_DOCUMENTS_MANIFEST: folder }),
    /cannot be read: EISDIR/,
  ],
  ['WEBHOOKS_FILE', ({ folder }) => ({ WEBHOOKS_FILE: folder }), /cannot be read: EISDIR/],
];

it.each(CASES)('%s is named in the error of its value, %#', async (variable, settings, reason) => {
  const given = places();
  const started = startConfigured({ DATABASE_URL: temporaryDatabaseUrl(), ...settings(given) });
  const error = await started.then(
    () => 'started',
    (failure: Error) => failure.message,
  );
  expect(error).toMatch(reason);
  expect(error).toContain(variable);
  expect(readFileSync(given.file, 'utf8')).toBe('text');
});

it.each(['PORT', 'METRICS_PORT'])('%s is named in the error of a port in use', async (variable) => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const started = startConfigured({ DATABASE_URL: temporaryDatabaseUrl(), [variable]: String(port) });
  await expect(started).rejects.toThrow(`the port is in use: set ${variable} to another`);
});

it.each(['missing', 'file'])('TMPDIR is named with its path: %s', async (name) => {
  const DATABASE_URL = temporaryDatabaseUrl();
  const path = join(places().folder, name);
  vi.stubEnv('TMPDIR', path);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(startConfigured({ DATABASE_URL })).rejects.toThrow(
    `TMPDIR: a temporary folder in ${path} cannot be written: `,
  );
});

it('the process exits with 1, and prints the error alone', async () => {
  const exit = await failToStart({
    DATABASE_URL: temporaryDatabaseUrl(),
    FILES_URL: 'file:/proc/x',
    FILES_SECRET: SECRET,
  });
  expect(exit).toMatchObject({ code: 1, signal: null, stdout: '' });
  expect(exit.stderr).toMatch(/^FILES_URL: The folder \/proc\/x of files cannot be written: .*\n$/);
});
