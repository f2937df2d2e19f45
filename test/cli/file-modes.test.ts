/** The modes of files and folders that have personal data. */
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command as backup } from '../../src/features/maintenance/backup-command.js';
import { command as copy } from '../../src/features/copies/command.js';
import { command as exportChats } from '../../src/features/exports/command.js';
import { command as importChats } from '../../src/features/imports/command.js';
import { command as restore } from '../../src/features/maintenance/restore-command.js';
import { startListening } from '../support/server/listening-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startWriting } from '../features/maintenance/writing-client.js';
import { runHere } from './run-here.js';

/** The paths below a folder that others than the owner can use, and the number of all paths. */
function openToOthers(folder: string) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return {
    count: paths.length,
    open: paths.filter((path) => (statSync(join(folder, path)).mode & 0o077) !== 0),
  };
}

/** A database with messages and files in new folders, and the names that its server created. */
async function written(folder: string) {
  const path = join(folder, 'data/chats/parley.db');
  const server = await startListening({
    databaseUrl: `file:${path}`,
    filesUrl: `file:${join(folder, 'stored/files')}`,
  });
  const client = startWriting(server.url);
  await client.reaches(3);
  const during = openToOthers(folder);
  await client.stop();
  await server.stop();
  return { during, environment: { DATABASE_URL: `file:${path}`, FILES_URL: `file:${join(folder, 'stored/files')}` } };
}

it('files and folders of a server are created for their owner alone', async () => {
  const folder = temporaryFolder();
  const { during } = await written(folder);
  expect(during.open).toEqual([]);
  expect(readdirSync(join(folder, 'data/chats'))).toContain('parley.db');
  expect(during.count).toBeGreaterThan(8);
});

it('so are those of backup, restore, copy and import', async () => {
  const folder = temporaryFolder();
  const { environment } = await written(folder);
  const target = join(folder, 'backups/monday');
  const at = (name: string) => ({
    DATABASE_URL: `file:${join(folder, name, 'parley.db')}`,
    FILES_URL: `file:${join(folder, name, 'files')}`,
  });
  expect((await runHere('backup', backup, [target], { environment })).code).toBe(0);
  // A copy of the backup that others can read.
  chmodSync(join(target, 'parley.db'), 0o644);
  expect((await runHere('restore', restore, [target], { environment: at('restored') })).code).toBe(0);
  chmodSync(join(target, 'parley.db'), 0o600);
  const { DATABASE_URL: to, FILES_URL: filesTo } = at('copied');
  const sides = ['--from', environment.DATABASE_URL, '--to', to];
  const files = ['--files-from', environment.FILES_URL, '--files-to', filesTo];
  expect((await runHere('copy', copy, [...sides, ...files], { environment: {} })).code).toBe(0);
  const exported = join(temporaryFolder(), 'chats.jsonl');
  expect((await runHere('export', exportChats, [exported], { environment })).code).toBe(0);
  const imported = await runHere('import', importChats, [exported], { environment: at('imported') });
  expect(imported).toMatchObject({ code: 0 });
  expect(openToOthers(folder).open).toEqual([]);
});

it('existing files and folders keep their modes', async () => {
  const folder = temporaryFolder();
  const [data, path] = [join(folder, 'data'), join(folder, 'data/parley.db')];
  mkdirSync(data, { mode: 0o755 });
  writeFileSync(path, '', { mode: 0o640 });
  await (await startListening({ databaseUrl: `file:${path}` })).stop();
  expect([data, path].map((each) => statSync(each).mode & 0o777)).toEqual([0o755, 0o640]);
});
