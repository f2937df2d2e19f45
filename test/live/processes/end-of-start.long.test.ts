/** SIGTERM while a server starts. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { spawnServer, type Settings } from '../../support/server/server-process.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Reports when the process gets its handler of SIGTERM. */
const PROBE = "process.on('newListener', (name) => name === 'SIGTERM' && process.stderr.write('handles SIGTERM\\n'));";

/** The exit of a server that gets SIGTERM in a phase of its start that does not end by itself. */
async function endStart(settings: Settings, isReached: (stderr: string) => boolean) {
  const { stderr, kill, exited } = spawnServer(settings);
  let ended: object | undefined;
  void exited.then(({ code, signal }) => (ended = { code, signal }));
  await expect.poll(() => isReached(stderr())).toBe(true);
  kill('SIGTERM');
  await expect.poll(() => ended).toBeDefined();
  return ended;
}

it.skipIf(process.platform === 'win32')('ends a start that waits for the audit log', async () => {
  const folder = temporaryFolder();
  const AUDIT_LOG = join(folder, 'audit.pipe');
  // Its opening waits for a reader.
  execFileSync('mkfifo', [AUDIT_LOG]);
  const probe = join(folder, 'probe.cjs');
  writeFileSync(probe, PROBE);
  const settings = { DATABASE_URL: `file:${join(folder, 'parley.db')}`, AUDIT_LOG, NODE_OPTIONS: `--require=${probe}` };
  expect(await endStart(settings, (stderr) => stderr.includes('handles SIGTERM'))).toEqual({
    code: null,
    signal: 'SIGTERM',
  });
});

it('ends a start that waits for the lock of a SQLite file', async () => {
  const folder = temporaryFolder();
  const [path, AUDIT_LOG] = [join(folder, 'parley.db'), join(folder, 'audit.log')];
  const other = new Database(path);
  onTestFinished(() => void other.close());
  other.exec('CREATE TABLE t (a); BEGIN EXCLUSIVE');
  // The log is opened before the database.
  const isReached = () => existsSync(AUDIT_LOG);
  expect(await endStart({ DATABASE_URL: `file:${path}`, AUDIT_LOG }, isReached)).toEqual({ code: 0, signal: null });
});
