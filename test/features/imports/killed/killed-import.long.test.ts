/** The process of an import of one large chat: killed, repeated, and while a user saves. */
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { createChat } from '../../../../src/conversation/chats.js';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { atDatabase, contentOf } from '../../../cli/database-content.js';
import { VIEWER, writeBranches } from '../../../support/chats/large-chats.js';
import { temporaryFile } from '../../../support/temporary-folder.js';
import { startCommand } from './command-process.js';
import { exportFrom } from '../../exports/run-export.js';

const MESSAGES = 20_000;
const MESSAGES_PER_STEP = 500;

/** An export of one chat, and the database that it is from. */
async function exported(): Promise<{ source: string; path: string }> {
  const source = `file:${temporaryFile()}`;
  await atDatabase(source, ({ store }) => writeBranches(store, 'c', 1_000, MESSAGES - 1_000));
  const path = `${temporaryFile()}.jsonl`;
  expect(await exportFrom(source, path)).toMatchObject({ code: 0 });
  expect(readFileSync(path, 'utf8').split('\n').length).toBeGreaterThan(MESSAGES);
  return { source, path };
}

async function emptyDatabase() {
  const file = temporaryFile();
  await atDatabase(`file:${file}`, () => Promise.resolve());
  const raw = new Database(file);
  const count = (table: string, where = '1 = 1') =>
    Number(raw.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get());
  return { url: `file:${file}`, raw, count };
}

it('an import that is killed repeatedly keeps its hidden rows, and ends with an equal chat', async () => {
  const { source, path } = await exported();
  const { url, raw, count } = await emptyDatabase();
  for (const share of [0.05, 0.3, 0.35, 0.8, 1]) {
    const before = count('messages');
    const killed = startCommand('import', url, path);
    while (count('messages') < share * MESSAGES) await setImmediate();
    killed.kill();
    expect((await killed.exited).signal).toBe('SIGKILL');
    expect(count('chats', `"userId" <> ''`)).toBe(0);
    expect(count('messages')).toBeGreaterThanOrEqual(before);
    raw.exec('UPDATE chat_imports SET "expiresAt" = 0');
  }
  expect(await startCommand('import', url, path).exited).toMatchObject({ code: 0, error: '' });
  expect(count('chat_imports')).toBe(0);
  raw.close();
  expect(await contentOf(url)).toEqual(await contentOf(source));
});

it('saves of another user wait for a bounded number of steps of an import in another process', async () => {
  const { path } = await exported();
  const { url, raw, count } = await emptyDatabase();
  const between: number[] = [];
  await atDatabase(url, async ({ store }) => {
    await createChat(store, VIEWER, { id: 'other' });
    const imported = startCommand('import', url, path);
    while (count('chat_imports') === 0) await setImmediate();
    while (count('chat_imports') === 1) {
      const before = count('messages');
      await saveMessages(store, VIEWER, { chatId: 'other', messages: [{ name: 'user', content: { text: 'x' } }] });
      between.push(Math.ceil((count('messages') - before) / MESSAGES_PER_STEP));
    }
    expect(await imported.exited).toMatchObject({ code: 0 });
  });
  raw.close();
  expect(between.length).toBeGreaterThan(10);
  expect(Math.max(...between)).toBeLessThanOrEqual(10);
});
