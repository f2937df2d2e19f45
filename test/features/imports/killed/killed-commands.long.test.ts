/** Imports and exports that are killed and repeated. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { atDatabase, contentOf } from '../../../cli/database-content.js';
import { writeChain } from '../../../support/chats/large-chats.js';
import { temporaryFile, temporaryFolder } from '../../../support/temporary-folder.js';
import { conversation } from '../readers/chatgpt-export.js';
import { startCommand } from './command-process.js';
import { importTo } from '../../exports/run-export.js';

/** Alternately one large conversation in its own transaction and a hundred small ones in a shared transaction. */
function manyConversations(): unknown[] {
  return Array.from({ length: 3 }, (_, turn) => [
    conversation(chain(`l${turn}-`, 600), { conversation_id: `large ${turn}` }),
    ...Array.from({ length: 100 }, (_, n) =>
      conversation(chain(`s${turn}-${n}-`, 3), { conversation_id: `small ${turn} ${n}` }),
    ),
  ]).flat();
}

/** With a second answer at its end. */
function chain(prefix: string, length: number): string[] {
  const nodes = Array.from({ length }, (_, n) => (n === 0 ? `${prefix}0` : `${prefix}${n} < ${prefix}${n - 1}`));
  return [...nodes, `${prefix}other < ${prefix}${length - 2}`];
}

/** The rows of an import, without generated ids and times. */
async function importedContent(url: string) {
  const { chats, messages, branches } = await contentOf(url);
  // A large chat is hidden until all of it is written.
  const visible = chats.filter(({ userId }) => userId !== '');
  const ids = new Set(visible.map(({ id }) => id));
  const isVisible = ({ chatId }: { chatId: string }) => ids.has(chatId);
  return {
    chats: sorted(visible.map(({ id, version, updatedAt, metadata }) => ({ id, version, updatedAt, metadata }))),
    messages: sorted(
      messages.filter(isVisible).map(({ id, chatId, parentId, seq, data }) => ({ id, chatId, parentId, seq, data })),
    ),
    branches: sorted(
      branches.filter(isVisible).map(({ chatId, name, headMessageId, isActive }) => ({
        id: `${chatId} ${name}`,
        headMessageId,
        isActive,
      })),
    ),
  };
}

function sorted<Row extends { id: string }>(rows: Row[]): Row[] {
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1));
}

it('a killed import leaves complete conversations, and its repetition adds exactly the others', async () => {
  const [given, killed, whole] = [temporaryFile(), temporaryFile(), `file:${temporaryFile()}`];
  const url = `file:${killed}`;
  const conversations = manyConversations();
  writeFileSync(given, JSON.stringify(conversations));
  expect((await importTo(whole, given)).code).toBe(0);
  const expected = await importedContent(whole);
  await atDatabase(url, () => Promise.resolve());

  const look = new Database(killed, { readonly: true });
  const countChats = look.prepare('SELECT count(*) FROM chats').pluck();
  const first = startCommand('import', url, given);
  while (Number(countChats.get()) < 102) await setImmediate();
  first.kill();
  expect((await first.exited).signal).toBe('SIGKILL');
  expect(look.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(look.pragma('foreign_key_check')).toEqual([]);
  look.close();

  const left = await importedContent(url);
  const there = new Set(left.chats.map(({ id }) => id));
  expect(there.size).toBeLessThan(conversations.length);
  expect(left.chats).toEqual(expected.chats.filter(({ id }) => there.has(id)));
  expect(left.branches).toEqual(expected.branches.filter(({ id }) => there.has(id.split(' ')[0]!)));
  expect(left.messages).toEqual(expected.messages.filter(({ chatId }) => there.has(chatId)));

  const again = await startCommand('import', url, given, '--json').exited;
  expect(again).toMatchObject({ code: 0, error: '' });
  const { totals } = JSON.parse(again.out) as { totals: Record<string, Record<string, number>> };
  expect(totals).toMatchObject({
    conversations: { imported: conversations.length - there.size, unchanged: there.size },
    messages: { imported: expected.messages.length - left.messages.length },
  });
  expect(await importedContent(url)).toEqual(expected);
});

it('a killed export into a folder continues, with the same result as an uninterrupted one', async () => {
  const url = `file:${temporaryFile()}`;
  await atDatabase(url, async ({ store }) => {
    for (let n = 0; n < 12; n++) {
      await writeChain(store, `c${n}`, 1_500);
    }
  });
  const [killed, whole] = [temporaryFolder(), temporaryFolder()];
  expect(await startCommand('export', url, `${whole}/`).exited).toMatchObject({ code: 0 });

  const first = startCommand('export', url, `${killed}/`);
  while (files(killed).length < 3) await setImmediate();
  first.kill();
  expect((await first.exited).signal).toBe('SIGKILL');
  const left = contents(killed);
  expect(Object.keys(left).length).toBeLessThan(12);
  expect(contents(whole)).toMatchObject(left);
  const before = new Map(files(killed).map((name) => [name, statSync(join(killed, name)).ino]));

  expect(await startCommand('export', url, `${killed}/`).exited).toMatchObject({ code: 0, error: '' });
  expect(contents(killed)).toEqual(contents(whole));
  expect(readdirSync(killed).sort()).toEqual(readdirSync(whole).sort());
  for (const [name, file] of before) expect(statSync(join(killed, name)).ino).toBe(file);
});

/** The files with final names. */
function files(folder: string): string[] {
  return readdirSync(folder).filter((name) => !name.endsWith('.part'));
}

function contents(folder: string): Record<string, string> {
  return Object.fromEntries(files(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
