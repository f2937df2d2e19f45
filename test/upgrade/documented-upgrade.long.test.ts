/** The commands of docs/upgrading.md, beside a server of the last released schema. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundled, provider } from '../support/database/migrations.js';
import { rawDatabase } from '../support/database/raw-database.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { startServer, type ServerProcess } from '../support/server/server-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { PROJECT, unpackOldServer } from './old-server.js';

const PAGE = readFileSync(join(PROJECT, 'docs/upgrading.md'), 'utf8');
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`^ *\`\`\`${language}\n(.*?)^ *\`\`\``, 'gms'))].map(([, text = '']) => text.trim());
const COMMANDS = blocks('sh');
const [VACUUM = ''] = blocks('sql');

/** Runs a command of the page on a database. */
function run(command: string, DATABASE_URL: string, folder: string) {
  const line = command.replace('DATABASE_URL=… ', '').replace('backups/', join(folder, 'backups/'));
  return new Promise<{ code: unknown; out: string }>((resolve) => {
    const env = { ...process.env, DATABASE_URL };
    execFile('/bin/sh', ['-c', line], { cwd: PROJECT, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, out: stdout + stderr }),
    );
  });
}

async function save(server: ServerProcess, id: string): Promise<void> {
  const messages = `messages: [{ id: "${id}", name: "user", content: { text: "word ${id}" } }]`;
  const answer = await server.post(`mutation { saveMessages(input: { chatId: "c", ${messages} }) { __typename } }`);
  expect(answer).toEqual({ data: { saveMessages: { __typename: 'SaveMessagesPayload' } } });
}

async function savedAt(server: ServerProcess): Promise<unknown> {
  const answer = await server.post('{ chat(id: "c") { activeBranch { chain { id } } } }');
  return (answer.data as { chat: { activeBranch: { chain: unknown } } }).chat.activeBranch.chain;
}

async function stop(server: ServerProcess): Promise<void> {
  server.kill('SIGTERM');
  expect((await server.exited).code).toBe(0);
}

it('upgrades an old database while it is served, and returns to the old version', async () => {
  expect(COMMANDS.map((command) => /npm run (\w+)/.exec(command)?.[1])).toEqual([
    'backup',
    'migrate',
    'check',
    'restore',
  ]);
  const [backup = '', migrate = '', check = '', restore = ''] = COMMANDS;
  const [folder, url, oldFolder] = [temporaryFolder(), temporaryDatabaseUrl(), unpackOldServer()];
  const startOld = (DATABASE_URL: string, start: object = { MIGRATE_ON_START: 'true' }) =>
    startServer({ DATABASE_URL, ...start }, {}, onTestFinished, oldFolder);
  const old = await startOld(url);
  await old.post('mutation { createChat(input: { id: "c" }) { __typename } }');
  await save(old, 'before');

  // The pg_dump of the machine may be older than the server of the tests, and a backup has one schema of many here.
  const isBackedUp = provider === 'sqlite';
  if (isBackedUp) expect(await run(backup, url, folder)).toMatchObject({ code: 0 });
  const migrated = await run(migrate, url, folder);
  expect(migrated).toMatchObject({ code: 0, out: expect.stringContaining('is up to date now') as string });
  expect(migrated.out).toContain(`Migration ${bundled.at(-1)!.name}, `);
  await save(old, 'beside');
  const present = await startServer({ DATABASE_URL: url });
  await save(present, 'after');
  await stop(old);
  expect(await run(check, url, folder)).toMatchObject({ code: 0, out: expect.stringMatching(/no finding/) as string });
  if (provider === 'postgresql') await (await rawDatabase(url)).run(VACUUM);
  expect(await savedAt(present)).toEqual([{ id: 'before' }, { id: 'beside' }, { id: 'after' }]);
  await stop(present);
  if (!isBackedUp) return;

  const restored = `file:${join(folder, 'restored.db')}`;
  expect(await run(restore, restored, folder)).toMatchObject({ code: 0 });
  const again = await startOld(restored, {});
  expect(await savedAt(again)).toEqual([{ id: 'before' }]);
  await stop(again);
});
