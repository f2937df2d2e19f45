import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { conversation } from './chatgpt-export.js';
import { importContent, importedChats, onlyChat } from '../imported-chats.js';
import { writeZip } from '../zips/write-zip.js';

const database = databaseForEach();

const ONE = conversation(['a', 'b < a'], { title: 'Größe \u{1f600}' });
const TWO = conversation(['a'], { conversation_id: 'c2', title: 'Two' });
const TREE = {
  message_tree_id: 't1',
  tree_state: 'x',
  prompt: { message_id: 'p', text: 'hi', role: 'prompter', replies: [] },
};
const ARRAY = JSON.stringify([ONE, TWO]);

async function ids(): Promise<string[]> {
  return Object.keys(await importedChats(database)).sort();
}

describe('the format of a file is detected by its content', () => {
  it.each<[format: string, content: string | Buffer, conversations: string[]]>([
    ['an array', ARRAY, ['c1', 'c2']],
    ['an array after a byte order mark and white space', `\ufeff \r\n\t${ARRAY}\n`, ['c1', 'c2']],
    ['an indented array', JSON.stringify([ONE, TWO], null, 2), ['c1', 'c2']],
    ['an empty array', '[]', []],
    ['one bare conversation', JSON.stringify(ONE), ['c1']],
    [
      'one bare conversation over many lines',
      `\ufeff${JSON.stringify(ONE, null, '\t').replaceAll('\n', '\r\n')}`,
      ['c1'],
    ],
    ['one tree over many lines', JSON.stringify(TREE, null, 2), ['t1']],
    ['one conversation a line', `\ufeff${JSON.stringify(ONE)}\n${JSON.stringify(TREE)}\n`, ['c1', 't1']],
    ['an array of both kinds', JSON.stringify([TREE, ONE]), ['c1', 't1']],
    ['a gzipped array', gzipSync(ARRAY), ['c1', 'c2']],
    [
      'gzipped lines in two members',
      Buffer.concat([gzipSync(`${JSON.stringify(TREE)}\n`), gzipSync(JSON.stringify(ONE))]),
      ['c1', 't1'],
    ],
    ['a zip', writeZip({ 'chat.html': '<p>', 'conversations.json': ARRAY }), ['c1', 'c2']],
    [
      'a zip with a folder',
      writeZip({ 'export/conversations.json': ARRAY, '__MACOSX/export/._conversations.json': 'x' }),
      ['c1', 'c2'],
    ],
    [
      'a zip with split files',
      writeZip({ 'conversations-001.json': JSON.stringify([TWO]), 'conversations-000.json': JSON.stringify([ONE]) }),
      ['c1', 'c2'],
    ],
  ])('%s', async (_, content, conversations) => {
    const report = await importContent(database, content);
    expect(report.failures.kept).toEqual([]);
    expect(await ids()).toEqual(conversations);
    const one = (await importedChats(database))['c1'];
    if (one !== undefined) expect(one.title).toBe('Größe \u{1f600}');
  });
});

describe('unreadable content', () => {
  it.each<[content: string, content_: string | Buffer, reason: RegExp]>([
    ['text', 'Dear diary', /^the file: It is not JSON of conversations/],
    ['a number', '12', /^the file: It is not JSON of conversations/],
    ['white space', ' \n\t ', /^the file: There is nothing in it/],
    ['a byte order mark', '\ufeff', /^the file: There is nothing in it/],
    ['JSON of another shape', '{"messages": []}', /^line 1: no supported format has the fields "messages"$/],
    ['an array of another shape', '[1]', /^conversation 1: it is a single value, not an object$/],
    [
      'an array that is not closed',
      '[',
      /^conversation 1: it breaks off before its end: the file is not complete; nothing after it was read$/,
    ],
    ['an object that is not closed', '{\n"a": 1\n', /^the conversation: it breaks off before its end/],
    ['a gzip file that is empty inside', gzipSync(''), /^the file: There is nothing in it/],
    ['a truncated gzip file', gzipSync(ARRAY).subarray(0, 40), /^the file: The gzip file breaks off/],
    [
      'a damaged gzip file',
      Buffer.concat([gzipSync(ARRAY).subarray(0, 10), Buffer.alloc(50, 7)]),
      /^the file: The gzip file is damaged: /,
    ],
  ])('of a file with %s is reported, and nothing is written', async (_, content, reason) => {
    const report = await importContent(database, content);
    expect(report.failures.kept).toEqual([expect.stringMatching(reason)]);
    expect((await database.allRows()).chats).toEqual([]);
  });

  it('includes a conversation with a syntax error, and the following ones are read', async () => {
    const report = await importContent(database, `[${JSON.stringify(ONE)}, {"mapping": oops}, ${JSON.stringify(TWO)}]`);
    expect(report.failures.kept).toEqual([
      'conversation 2: it is not JSON: it goes wrong at character 13, near "{\\"mapping\\": oops}"',
    ]);
    expect(await ids()).toEqual(['c1', 'c2']);
    expect(report.summary().slice(-2)).toEqual(['Could not read (1):', expect.stringContaining('conversation 2')]);
  });

  it('includes everything after mismatched brackets, and the conversations before are kept', async () => {
    const report = await importContent(database, `[${JSON.stringify(ONE)}, {"a": [1}, ${JSON.stringify(TWO)}]`);
    expect(report.failures.kept).toEqual(['conversation 2: it is not JSON: unexpected }; nothing after it was read']);
    expect(await ids()).toEqual(['c1']);
  });

  it('includes one file of a zip, and the others are read', async () => {
    const zip = writeZip({ 'conversations-000.json': 'oops', 'conversations-001.json': ARRAY });
    const report = await importContent(database, zip);
    expect(report.failures.kept).toEqual([expect.stringMatching(/^conversations-000.json: It is not JSON/)]);
    expect(await ids()).toEqual(['c1', 'c2']);
  });

  it('includes a broken conversation, and the others are imported', async () => {
    const broken = { ...ONE, conversation_id: 'broken', title: 'Broken', mapping: { x: { message: 'oops' } } };
    const report = await importContent(database, [ONE, broken, TWO]);
    expect(report.failures.kept).toEqual(['conversation 2 ("Broken"): Message x is not an object']);
    expect(await ids()).toEqual(['c1', 'c2']);
  });

  it('is listed at most a thousand times, and counted beyond', async () => {
    const report = await importContent(database, JSON.stringify(Array.from({ length: 1003 }, () => 1)));
    expect(report.failures.total).toBe(1003);
    expect(report.summary().at(-1)).toBe('  and 3 more');
  });
});

it('a second copy of a conversation in a file is a newer export of the first', async () => {
  const report = await importContent(database, [
    ONE,
    conversation(['a', 'b < a', 'c < b'], { title: 'Größe \u{1f600}' }),
  ]);
  expect(report.conversations).toEqual({ imported: 1, updated: 1, unchanged: 0 });
  expect((await onlyChat(database)).branches).toEqual({ main: 'c' });
});

it('a failed conversation does not affect others of the same transaction', async () => {
  const many = Array.from({ length: 30 }, (_, n) => conversation(['a', 'b < a'], { conversation_id: `m${n}` }));
  const twice = conversation(['a', 'b < a', 'c < b'], { conversation_id: 'm7' });
  await importContent(database, many.slice(3, 5));
  const report = await importContent(database, [...many.slice(0, 20), twice, { mapping: {} }, ...many.slice(20)]);
  expect(report.conversations).toEqual({ imported: 28, updated: 1, unchanged: 2 });
  expect(report.failures.kept).toEqual([expect.stringMatching(/^conversation 22: Nothing identifies/)]);
  expect(report.messages.imported).toBe(56);
  const chats = await importedChats(database);
  expect([Object.keys(chats).length, chats['m7']?.tree]).toEqual([30, ['a', 'b < a', 'c < b']]);
});
