import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../../../src/features/imports/command.js';
import { runHere } from '../../cli/run-here.js';
import { databaseForEach } from '../../support/database/database-scope.js';
import { conversation } from './readers/chatgpt-export.js';
import { importedChats, onlyChat } from './imported-chats.js';
import { writeZip } from './zips/write-zip.js';

const database = databaseForEach();

const run = (args: string[], url = database.url) =>
  runHere('import', command, args, { environment: { DATABASE_URL: url } });

async function file(content: string | Buffer): Promise<string> {
  const path = join(database.folder, 'anything.bin');
  await writeFile(path, content);
  return path;
}

describe('npm run import', () => {
  it('imports a file for the local user, and reports it', async () => {
    const path = await file(JSON.stringify([conversation(['a', 'b < a'])]));
    const first = await run([path]);
    expect(first).toEqual({
      code: 0,
      out: [
        '1 conversation imported (2 messages), 0 updated (0 new messages), 0 unchanged.',
        'Read as ChatGPT.',
        'Written:',
        expect.stringMatching(/^ {2}conversation 1 \("A talk"\): 2 messages; chat [0-9a-f-]{36}$/),
      ],
      error: [],
    });
    expect((await onlyChat(database)).userId).toBe('local');
    expect((await run([path])).out).toEqual([
      '0 conversations imported (0 messages), 0 updated (0 new messages), 1 unchanged.',
      'Read as ChatGPT.',
    ]);
  });

  it('imports for the given user', async () => {
    await run([await file(JSON.stringify([conversation(['a'])])), '--user', 'ann']);
    expect((await onlyChat(database)).userId).toBe('ann');
  });

  it('exits with 1 if a conversation is unreadable, and imports the others', async () => {
    const { code, out } = await run([await file(JSON.stringify([1, conversation(['a'])]))]);
    expect(code).toBe(1);
    expect([out[0], ...out.slice(-2)]).toEqual([
      '1 conversation imported (1 message), 0 updated (0 new messages), 0 unchanged.',
      'Could not read (1):',
      expect.stringMatching(/^ {2}conversation 1: /),
    ]);
    expect(Object.keys(await importedChats(database))).toEqual(['c1']);
  });

  it.each([
    ['no file', []],
    ['two files', ['one.json', 'two.json']],
    ['an unknown option', ['one.json', '--force']],
    ['an unknown format', ['one.json', '--format', 'fax']],
    ['a user without a name', ['one.json', '--user', '']],
    ['a user whose name ends in a space', ['one.json', '--user', 'ann ']],
    ['a user whose name is too long', ['one.json', '--user', 'x'.repeat(256)]],
  ])('exits with 2 and shows the usage for %s', async (_, args) => {
    const { code, out, error } = await run(args);
    expect([code, out]).toEqual([2, []]);
    expect(error.join('\n')).toContain('Usage: parley import [options] [FILE]');
  });

  it('shows the usage when asked', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, out: [expect.stringContaining('Usage:')] });
  });

  it('reports that temporary files cannot be written, and keeps the conversations before', async () => {
    const filling = Array.from({ length: 40 }, () => 'x'.repeat(500_000));
    const long = conversation(['a', 'b < a'], { conversation_id: 'long', filling });
    const path = await file(JSON.stringify([conversation(['a', 'b < a']), long]));
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(database.folder, 'none');
    const { code, out, error } = await run([path]).finally(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
    expect({ code, error }).toEqual({ code: 1, error: [] });
    expect(out).toContain(
      '  the file: temporary files cannot be written: free disk space, or set TMPDIR to another folder',
    );
    expect((await onlyChat(database)).title).toBe('A talk');
  });

  it('reads an unpacked export from its folder', async () => {
    const folder = join(database.folder, 'unpacked');
    const shared = (id: string) => JSON.stringify({ id, conversations: [{ from: 'human', value: `Words of ${id}` }] });
    for (const [name, text] of Object.entries({
      'data/conversations-000.json': `[${shared('a')}]`,
      'data/conversations-001.json': `[${shared('b')}]`,
      'data/user.json': '{"name": "Ann"}',
      '__MACOSX/conversations.json': 'nothing',
      'photo.png': 'PNG',
    })) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const { code, out } = await run([folder], database.url);
    expect(code).toBe(0);
    expect(out[0]).toBe('2 conversations imported (2 messages), 0 updated (0 new messages), 0 unchanged.');
    expect(out.join('\n')).toContain('conversation 1 of data/conversations-001.json');
  });

  it('reports why a file cannot be opened, and creates no database', async () => {
    const missing = join(database.folder, 'nothing.json');
    const untouched = join(database.folder, 'other.db');
    const attempts: [string, string][] = [
      [missing, `${missing} does not exist`],
      [database.folder, `${database.folder} is a folder without a conversations.json or any other JSON or HTML file`],
    ];
    for (const [path, sentence] of attempts) {
      expect(await run([path], `file:${untouched}`)).toEqual({ code: 1, out: [], error: [sentence] });
    }
    const contents: [string | Buffer, RegExp][] = [
      ['', /anything\.bin is empty$/],
      [
        writeZip({ 'photo.png': '' }),
        /anything\.bin is a zip file without a conversations\.json or any other JSON or HTML file$/,
      ],
      [writeZip({ 'conversations.json': '[]' }).subarray(0, 60), /^The zip file cannot be read: /],
    ];
    for (const [content, sentence] of contents) {
      const path = await file(content);
      expect(await run([path], `file:${untouched}`)).toEqual({
        code: 1,
        out: [],
        error: [expect.stringMatching(sentence)],
      });
    }
    await expect(access(untouched)).rejects.toThrow();
  });
});
