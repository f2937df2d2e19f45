/** Backups while a server process writes, and backups that are killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/opening/open.js';
import { writeChain } from '../../support/chats/large-chats.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { startServer } from '../../support/server/server-process.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { PROJECT } from '../../package/packed.js';
import { run } from '../../package/run.js';
import { startWriting } from './writing-client.js';

const PARLEY = join(PROJECT, 'dist/cli/parley.js');

/** A server on a database that SQLite backs up in several steps, and a client that writes. */
async function startLarge() {
  const folder = temporaryFolder();
  const DATABASE_URL = `file:${join(folder, 'parley.db')}`;
  const { store } = await openDatabase({ url: DATABASE_URL });
  await writeChain(store, 'large', 25_000);
  await store.close();
  const server = await startServer({ DATABASE_URL });
  const client = startWriting(server.url);
  await client.reaches(20);
  return { folder, DATABASE_URL, target: join(folder, 'backup'), client };
}

const parley = (env: NodeJS.ProcessEnv, ...args: string[]) => run(process.execPath, [PARLEY, ...args], PROJECT, env);

it('each backup that is made while a server writes is sound, and has what was acknowledged before it', async () => {
  const { folder, DATABASE_URL, client } = await startLarge();
  for (const name of ['one', 'two']) {
    const before = [...client.saved];
    const [target, restored] = [join(folder, name), `file:${join(folder, `${name}.db`)}`];
    expect(await parley({ DATABASE_URL }, 'backup', target)).toMatchObject({ code: 0, stderr: '' });
    expect(await parley({ DATABASE_URL: restored }, 'restore', target)).toMatchObject({ code: 0, stderr: '' });
    expect(await parley({ DATABASE_URL: restored }, 'check')).toMatchObject({ code: 0, stderr: '' });
    const rows = await (
      await rawDatabase(restored)
    ).rows<{ id: string }>(`SELECT "id" FROM messages WHERE "chatId" = 'c'`);
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(before));
  }
  await client.stop();
});

it('a killed backup has no name of a complete one, and cannot be restored', async () => {
  const { folder, DATABASE_URL, target, client } = await startLarge();
  await client.stop();
  const killed = spawn(process.execPath, [PARLEY, 'backup', target], { cwd: PROJECT, env: { DATABASE_URL } });
  const incomplete = `${target}.incomplete`;
  // SQLite has begun to copy.
  await expect
    .poll(() => existsSync(incomplete) && readdirSync(incomplete).join(), { interval: 5 })
    .toContain('parley.db');
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect(existsSync(target)).toBe(false);
  const restored = `file:${join(folder, 'restored.db')}`;
  const { code, stderr } = await parley({ DATABASE_URL: restored }, 'restore', incomplete);
  expect([code, stderr]).toEqual([1, expect.stringContaining('is not a complete backup: it has no manifest.json')]);
});
