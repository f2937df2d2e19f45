/** Backups of PostgreSQL, with the pg_dump and pg_restore of the machine. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { command as backup } from '../../../src/features/maintenance/backup-command.js';
import { command as restore } from '../../../src/features/maintenance/restore-command.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { startListening } from '../../support/server/listening-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { atDatabase } from '../../cli/database-content.js';
import { runHere } from '../../cli/run-here.js';
import { adoptDatabase } from './adopt-database.js';
import { startWriting } from './writing-client.js';

/** The URL of a new database, which is removed at the end of the test. */
async function newDatabase(): Promise<string> {
  const name = `parley_backup_${randomBytes(6).toString('hex')}`;
  const url = new URL(inject('serverUrl'));
  url.searchParams.delete('schema');
  const onServer = async (statement: string) => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await onServer(`CREATE DATABASE ${name}`);
  onTestFinished(() => onServer(`DROP DATABASE ${name} WITH (FORCE)`));
  const own = new URL(url);
  own.pathname = name;
  return own.href;
}

async function serverMajor(url: string): Promise<number> {
  const [row] = await (await rawDatabase(url)).rows<{ server_version_num: string }>('SHOW server_version_num');
  return Math.floor(Number(row?.server_version_num) / 10_000);
}

/** The major version of pg_dump on PATH; null without it. */
function dumpMajor(): number | null {
  try {
    return Number(/ (\d+)/.exec(execFileSync('pg_dump', ['--version'], { encoding: 'utf8' }))?.[1]);
  } catch {
    return null;
  }
}

/** Puts a pg_dump before the others on PATH that cuts off the end of its dump, and reports success. */
function cutDumps(folder: string): void {
  const real = execFileSync('sh', ['-c', 'command -v pg_dump'], { encoding: 'utf8' }).trim();
  const script = `#!/bin/sh
"${real}" "$@" || exit
for argument; do case "$argument" in --file=*) truncate --size=-100 "\${argument#--file=}";; esac; done
`;
  writeFileSync(join(folder, 'pg_dump'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

it('a dump that is cut off is no backup, and is not restored', async ({ skip }) => {
  const [from, to] = [await newDatabase(), await newDatabase()];
  const [major, own] = [await serverMajor(from), dumpMajor()];
  if (own === null || own < major) skip(`pg_dump ${own ?? '(missing)'} does not dump PostgreSQL ${major}`);
  await atDatabase(from, ({ store }) => writeChain(store, 'c', 500));
  const [folder, programs] = [temporaryFolder(), temporaryFolder()];
  const target = join(folder, 'backup');
  const backUp = () => runHere('backup', backup, [target], { environment: { DATABASE_URL: from } });
  expect(await backUp()).toMatchObject({ code: 0, error: [] });
  const dump = join(target, 'parley.dump');
  truncateSync(dump, statSync(dump).size - 100);
  adoptDatabase(target);
  const restored = await runHere('restore', restore, [target], { environment: { DATABASE_URL: to } });
  const reason: unknown = expect.stringMatching(/^pg_restore failed: [^]*end of file/);
  expect([restored.code, restored.error.join('\n')]).toEqual([1, reason]);
  expect(await (await rawDatabase(to)).tables()).toEqual([]);
  rmSync(target, { recursive: true });
  cutDumps(programs);
  const { code, error } = await backUp();
  expect([code, error.join('\n')]).toEqual([1, reason]);
  expect(readdirSync(folder)).toEqual([]);
});

it.for(['public', 'chats'])('a backup of the schema %s restores into an empty database', async (schema, { skip }) => {
  const [from, to] = [await newDatabase(), await newDatabase()].map((url) => `${url}?schema=${schema}`) as [
    string,
    string,
  ];
  const folder = temporaryFolder();
  const target = join(folder, 'backup');
  const files = (name: string) => `file:${join(folder, name)}`;
  const server = await startListening({ databaseUrl: from, filesUrl: files('files') });
  const client = startWriting(server.url);
  await client.reaches(12);
  const before = [...client.saved];
  const backedUp = await runHere('backup', backup, [target], {
    environment: { DATABASE_URL: from, FILES_URL: files('files') },
  });
  await client.stop();
  const [major, own] = [await serverMajor(from), dumpMajor()];
  if (own === null || own < major) {
    const reason =
      own === null ? /^pg_dump was not found on PATH: install / : /must have the major version of the Postgre/;
    expect([backedUp.code, backedUp.error.join()]).toEqual([1, expect.stringMatching(reason)]);
    expect([existsSync(target), existsSync(`${target}.incomplete`)]).toEqual([false, false]);
    skip(`Not tested: a complete backup, with pg_dump ${own ?? '(missing)'} and PostgreSQL ${major}`);
  }
  expect(backedUp).toMatchObject({ code: 0, error: [] });
  const restoreTo = (DATABASE_URL: string, name: string) =>
    runHere('restore', restore, [target], { environment: { DATABASE_URL, FILES_URL: files(name) } });
  expect(await restoreTo(to, 'restored')).toMatchObject({ code: 0, error: [] });
  const ids = (await (await rawDatabase(to)).rows<{ id: string }>('SELECT "id" FROM messages')).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(before));
  expect((await restoreTo(to, 'again')).error).toEqual([
    expect.stringMatching(/has tables in the schema .+: restore into an empty/),
  ]);
});
