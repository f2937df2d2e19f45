/** Backups of a SQLite database and its files. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command as backup } from '../../../src/features/maintenance/backup-command.js';
import { command as check } from '../../../src/features/maintenance/check-command.js';
import { command as restore } from '../../../src/features/maintenance/restore-command.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { startListening } from '../../support/server/listening-server.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { runHere } from '../../cli/run-here.js';
import { startWriting } from './writing-client.js';

function places() {
  const folder = temporaryFolder();
  const databaseUrl = `file:${join(folder, 'parley.db')}`;
  const target = join(folder, 'backup');
  const restoredUrl = `file:${join(folder, 'restored/parley.db')}`;
  const backUp = (environment: object = {}) =>
    runHere('backup', backup, [target], { environment: { DATABASE_URL: databaseUrl, ...environment } });
  const restoreTo = (DATABASE_URL: string, environment: object = {}) =>
    runHere('restore', restore, [target], { environment: { DATABASE_URL, ...environment } });
  return { folder, databaseUrl, target, restoredUrl, backUp, restoreTo };
}

/** A backup of a chat with files, made while a client writes. */
async function backedUp() {
  const place = places();
  const server = await startListening({ databaseUrl: place.databaseUrl });
  const client = startWriting(server.url);
  await client.reaches(6);
  const before = [...client.saved];
  const result = await place.backUp();
  await client.reaches(before.length + 2);
  await client.stop();
  await server.stop();
  return { ...place, before, result };
}

it('a backup has everything that was acknowledged before it, and restores into a sound database', async () => {
  const { before, result, target, restoredUrl, restoreTo } = await backedUp();
  expect(result).toMatchObject({ code: 0, error: [] });
  expect(result.out).toEqual([expect.stringMatching(/ was backed up to .+ bytes, and \d+ files with \d+ bytes\.$/)]);
  expect(readdirSync(target).sort()).toEqual(['files', 'files.jsonl', 'manifest.json', 'parley.db']);
  expect(['', 'parley.db', 'manifest.json'].map((name) => statSync(join(target, name)).mode & 0o077)).toEqual([
    0, 0, 0,
  ]);
  expect(await restoreTo(restoredUrl)).toMatchObject({ code: 0, error: [] });
  const restored = await rawDatabase(restoredUrl);
  const ids = (await restored.rows<{ id: string }>('SELECT "id" FROM messages')).map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(before));
  expect(await runHere('check', check, [], { environment: { DATABASE_URL: restoredUrl } })).toMatchObject({ code: 0 });
});

it('an incomplete or altered backup is refused, and nothing is written', async () => {
  const { folder, target, restoreTo, restoredUrl } = await backedUp();
  const [line = ''] = readFileSync(join(target, 'files.jsonl'), 'utf8').split('\n');
  const { key } = JSON.parse(line) as { key: string };
  const faults: [file: string, message: string][] = [
    [`files/${key}`, `was altered: files/${key} has another content`],
    ['parley.db', 'was altered: parley.db does not match manifest.json'],
    ['files.jsonl', 'was altered: files.jsonl does not match manifest.json'],
    ['manifest.json', 'has a manifest.json that this version of Parley cannot read'],
  ];
  for (const [file, message] of faults) {
    const path = join(target, file);
    const whole = readFileSync(path);
    appendFileSync(path, 'x');
    expect(await restoreTo(restoredUrl)).toMatchObject({ code: 1, error: [expect.stringContaining(message)] });
    writeFileSync(path, whole);
  }
  for (const [file] of faults) {
    const path = join(target, file);
    const whole = readFileSync(path);
    rmSync(path);
    const { code, error } = await restoreTo(restoredUrl);
    expect([code, error.join()]).toEqual([1, expect.stringMatching(/is missing$|not a complete backup/)]);
    writeFileSync(path, whole);
  }
  expect(readdirSync(folder)).not.toContain('restored');
  expect((await restoreTo(restoredUrl)).code).toBe(0);
});

it('neither command replaces anything', async () => {
  const { databaseUrl, target, backUp, restoreTo, restoredUrl, folder } = await backedUp();
  expect((await backUp()).error).toEqual([`${target} exists: give the name of a new folder`]);
  expect((await restoreTo(databaseUrl)).error).toEqual([
    `${join(folder, 'parley.db')} exists: restore into a file that does not exist`,
  ]);
  const filesUrl = `file:${join(folder, 'parley.db.files')}`;
  expect((await restoreTo(restoredUrl, { FILES_URL: filesUrl })).error).toEqual([
    `FILES_URL ${filesUrl} has contents: restore into an empty folder or bucket`,
  ]);
  expect(readdirSync(join(folder, 'restored'))).toEqual([]);
  rmSync(target, { recursive: true });
  mkdirSync(`${target}.incomplete`);
  expect((await backUp()).error).toEqual([expect.stringMatching(/incomplete exists: another backup is running/)]);
  expect(existsSync(target)).toBe(false);
});

it('a damaged content is named and left out, and the rest is backed up', async () => {
  const { databaseUrl, folder, target, backUp, restoreTo, restoredUrl } = await backedUp();
  rmSync(target, { recursive: true });
  const [{ storageKey } = { storageKey: '' }] = await (
    await rawDatabase(databaseUrl)
  ).rows<{ storageKey: string }>('SELECT "storageKey" FROM files LIMIT 1');
  writeFileSync(join(folder, 'parley.db.files', storageKey), 'damaged');
  expect(await backUp()).toMatchObject({
    code: 1,
    error: [`The content ${storageKey} is damaged, and not in the backup.`],
  });
  const { code, error } = await restoreTo(restoredUrl);
  expect([code, error.join()]).toEqual([1, expect.stringContaining('its content is missing in the storage')]);
});

it('a missing content is named, and the rest is backed up', async () => {
  const { databaseUrl, folder, target, backUp } = await backedUp();
  rmSync(target, { recursive: true });
  const [{ id, storageKey } = { id: '', storageKey: '' }] = await (
    await rawDatabase(databaseUrl)
  ).rows<{ id: string; storageKey: string }>('SELECT "id", "storageKey" FROM files LIMIT 1');
  rmSync(join(folder, 'parley.db.files', storageKey));
  expect(await backUp()).toMatchObject({
    code: 1,
    error: [expect.stringMatching(`^files id="${id}" size=[0-9]+: its content is missing in the storage$`)],
  });
  expect(existsSync(join(target, 'manifest.json'))).toBe(true);
});

it('a content in the database that does not match its hash is named', async () => {
  const { databaseUrl, backUp } = places();
  const server = await startListening({ databaseUrl, filesUrl: 'database' });
  const client = startWriting(server.url);
  await client.reaches(3);
  await client.stop();
  await server.stop();
  const database = await rawDatabase(databaseUrl);
  const [{ id } = { id: '' }] = await database.rows<{ id: string }>('SELECT "id" FROM files LIMIT 1');
  const other = `(SELECT "content" FROM file_contents WHERE "storageKey" NOT LIKE '%${id}%' LIMIT 1)`;
  await database.run(`UPDATE file_contents SET "content" = ${other} WHERE "storageKey" LIKE '%${id}%'`);
  expect(await backUp({ FILES_URL: 'database' })).toMatchObject({
    code: 1,
    error: [expect.stringMatching(`^files id="${id}" size=[0-9]+: its content does not match its hash$`)],
  });
});

it('other kinds of storage and databases are named with what to use', async () => {
  const { backUp } = places();
  const sqlServer = 'sqlserver://db:1433;database=parley;user=sa;password={secret}';
  expect((await backUp({ DATABASE_URL: sqlServer })).error).toEqual([
    expect.stringContaining('use BACKUP DATABASE and RESTORE DATABASE'),
  ]);
  const { databaseUrl, target, backUp: backUpBucket } = places();
  await (await startListening({ databaseUrl })).stop();
  const { code, out } = await backUpBucket({ FILES_URL: 's3://bucket/files?region=eu-1' });
  expect([code, out[1]]).toEqual([0, expect.stringContaining('The contents of files are in a bucket')]);
  expect(readdirSync(target).sort()).toEqual(['manifest.json', 'parley.db']);
});

it('restore reports a missing folder', async () => {
  const { target, restoredUrl, restoreTo } = places();
  const { code, error } = await restoreTo(restoredUrl);
  expect([code, error]).toEqual([1, [`${target} does not exist: restore takes the folder of a backup`]]);
});
