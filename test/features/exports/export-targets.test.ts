/** Targets of exports: existing files are complete and of the newest state. */
import { execFileSync } from 'node:child_process';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import { VIEWER } from '../../support/chats/large-chats.js';
import { temporaryFile, temporaryFolder } from '../../support/temporary-folder.js';
import { atDatabase } from '../../cli/database-content.js';
import { exportFrom } from './run-export.js';

async function saveText(store: ConversationStore, chatId: string, id: string): Promise<void> {
  await saveMessages(store, VIEWER, {
    chatId,
    messages: [{ id, name: 'user', type: 'message', content: { text: id } }],
  });
}

async function databaseWith(chats: Record<string, string | null>): Promise<string> {
  const url = `file:${temporaryFile()}`;
  await atDatabase(url, async ({ store }) => {
    for (const [n, [id, title]] of Object.entries(chats).entries()) {
      await createChat(store, VIEWER, { id, title });
      await saveText(store, id, `m${n}`);
    }
  });
  return url;
}

describe('a folder of exported chats', () => {
  it('has a file for each chat, with any title and id', async () => {
    const url = await databaseWith({
      b: 'a',
      'a-b': null,
      B: 'a',
      '../up': '../../etc/passwd',
      ['x'.repeat(200)]: '—',
    });
    const folder = join(temporaryFolder(), 'chats');
    expect(await exportFrom(url, `${folder}/`)).toMatchObject({ code: 0, error: [] });
    const names = readdirSync(folder);
    expect(names).toHaveLength(5);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(5);
    expect(names).toEqual(expect.arrayContaining(['a.b.parley.jsonl', 'a-b.parley.jsonl']));
  });

  it('contains no file with the name of a Windows device', async () => {
    const url = await databaseWith({ one: 'CON', two: 'lpt1', nul: null, three: 'Console' });
    const folder = temporaryFolder();
    await exportFrom(url, `${folder}/`);
    const names = readdirSync(folder);
    expect(names).toEqual(
      expect.arrayContaining(['CON-.one.parley.jsonl', 'lpt1-.two.parley.jsonl', 'Console.three.parley.jsonl']),
    );
    expect(names).not.toContain('nul.parley.jsonl');
  });

  it('has separate files for each format and each selection of paths', async () => {
    const url = await databaseWith({ one: 'One' });
    const folder = temporaryFolder();
    for (const format of ['chatgpt', 'librechat', 'open-webui', 'markdown']) {
      expect((await exportFrom(url, folder, '--format', format)).out[0]).toMatch(/^1 chat exported/);
    }
    await exportFrom(url, folder, '--format', 'markdown', '--paths', 'leaves');
    expect(readdirSync(folder).sort()).toEqual([
      'One.one.chatgpt.json',
      'One.one.leaves.md',
      'One.one.librechat.json',
      'One.one.md',
      'One.one.open-webui.json',
    ]);
  });

  it('renames the file of a renamed chat, and includes changes that keep updatedAt', async () => {
    const url = await databaseWith({ one: 'One', two: 'Two' });
    const folder = temporaryFolder();
    await exportFrom(url, folder);
    await atDatabase(url, ({ store }) =>
      store.change('one', 'u', async (locked, change) => {
        change.updateChat({ title: 'First', metadata: '{}' });
        change.updatedAt = locked.chat.updatedAt;
      }),
    );
    expect((await exportFrom(url, folder)).out[0]).toBe('1 chat exported (1 message), 1 there already, as Parley.');
    expect(readdirSync(folder).sort()).toEqual(['First.one.parley.jsonl', 'Two.two.parley.jsonl']);
    expect((await exportFrom(url, folder)).out[0]).toBe('0 chats exported (0 messages), 2 there already, as Parley.');
  });

  it('continues after an interruption, without partial files', async () => {
    const url = await databaseWith({ one: 'One', two: 'Two' });
    const folder = temporaryFolder();
    await exportFrom(url, folder, '--chat', 'one');
    // Chat two had the title Old at the second interruption.
    for (const title of ['Two', 'Old']) writeFileSync(join(folder, `${title}.two.parley.jsonl.part`), '{"parley":1');
    writeFileSync(join(folder, 'Old.other.parley.jsonl.part'), 'of another chat');
    expect((await exportFrom(url, folder)).out[0]).toBe('1 chat exported (1 message), 1 there already, as Parley.');
    const files = ['Old.other.parley.jsonl.part', 'One.one.parley.jsonl', 'Two.two.parley.jsonl'];
    expect(readdirSync(folder).sort()).toEqual(files);
  });
});

describe('an export', () => {
  it('has the format of the name of its file', async () => {
    const url = await databaseWith({ c: 'Soup' });
    const folder = temporaryFolder();
    const beginning = async (name: string, ...args: string[]) => {
      const { code } = await exportFrom(url, join(folder, name), ...args);
      return code === 0 ? readFileSync(join(folder, name), 'utf8').slice(0, 6) : code;
    };
    expect(await beginning('all.md')).toBe('# Soup');
    expect(await beginning('all.HTM')).toBe('<!doct');
    expect(await beginning('all.jsonl')).toBe('{"parl');
    expect(await beginning('all')).toBe('{"parl');
    expect(await beginning('all.json', '--format', 'librechat')).toBe('[\n{"co');
    expect(await beginning('all.json')).toBe(2);
    expect(await beginning('all.md', '--format', 'html')).toBe(2);
    expect((await exportFrom(url, 'all.json')).error.join()).toContain('--format chatgpt');
  });

  it('reports the target and the reason when a write fails, and keeps the existing file', async () => {
    const url = await databaseWith({ one: 'One' });
    const folder = temporaryFolder();
    expect(await exportFrom(url, join(folder, 'none', 'x.jsonl'))).toMatchObject({
      code: 1,
      error: [`${join(folder, 'none', 'x.jsonl')} cannot be written: its folder does not exist`],
    });
    const before = join(folder, 'x.jsonl');
    writeFileSync(before, 'before');
    mkdirSync(`${before}.part`);
    expect(await exportFrom(url, before)).toMatchObject({
      code: 1,
      error: [`${before} cannot be written: it is a directory`],
    });
    expect(readFileSync(before, 'utf8')).toBe('before');
  });

  it('of an unknown chat writes nothing', async () => {
    const url = await databaseWith({ one: 'One' });
    const path = temporaryFile();
    expect(await exportFrom(url, path, '--chat', 'none')).toMatchObject({
      code: 1,
      error: ['There is no chat "none".'],
    });
    expect(existsSync(path)).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('writes to a named pipe without replacing it', async () => {
    const url = await databaseWith({ one: 'One' });
    const pipe = temporaryFile();
    execFileSync('mkfifo', [pipe]);
    const read = createReadStream(pipe, 'utf8').toArray();
    expect(await exportFrom(url, pipe)).toMatchObject({ code: 0, error: [] });
    expect((await read).join('')).toMatch(/^\{"parley":1.*\{"end":/s);
  });
});
