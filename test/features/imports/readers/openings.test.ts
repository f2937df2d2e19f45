/** Finding conversations in files, zips and pipes. */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findValues, type FoundValue, openStream } from '@parley/interchange/server';
import { importFile } from '../../../../src/features/imports/import-file.js';
import { runs } from '../../../support/effort.js';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { conversation, message, nodeOf } from './chatgpt-export.js';
import { importContent, importedChats } from '../imported-chats.js';
import { writeZip } from '../zips/write-zip.js';

const database = databaseForEach();

const ONE = conversation(['a', 'b < a'], { title: 'Größe \u{1f600}' });
const TWO = conversation(['a'], { conversation_id: 'c2', title: 'Two' });
const ARRAY = JSON.stringify([ONE, TWO]);

async function ids(): Promise<string[]> {
  return Object.keys(await importedChats(database)).sort();
}

async function found(text: string | Buffer, size = 1_000_000): Promise<FoundValue[]> {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const all: FoundValue[] = [];
  for await (const value of findValues(chunks())) all.push(value);
  return all;
}

/** The value, or the fault. */
async function readValues(text: string | Buffer, size?: number) {
  return (await found(text, size)).map((each) =>
    'fault' in each ? [each.place, each.fault] : [each.place, each.value],
  );
}

describe('a file', () => {
  const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16();
  it.each<[name: string, content: Buffer]>([
    ['UTF-16', Buffer.from(`\ufeff${ARRAY}`, 'utf16le')],
    ['UTF-16 without a byte order mark', Buffer.from(ARRAY, 'utf16le')],
    ['UTF-16 of the other order', swapped(`\ufeff${ARRAY}`)],
    ['UTF-16 of the other order without a byte order mark', swapped(ARRAY)],
  ])('of %s is read', async (_, content) => {
    const report = await importContent(database, content);
    expect(report.failures.kept).toEqual([]);
    expect((await importedChats(database))['c1']?.title).toBe('Größe \u{1f600}');
  });

  it.each([
    ['on one line', JSON.stringify({ projects: [], conversations: [ONE, TWO], tasks: [{}] })],
    ['over several lines', JSON.stringify({ conversations: [ONE, TWO], user: { a: 1 } }, null, 2)],
  ])('with an object of conversations is read, %s', async (_, content) => {
    const report = await importContent(database, content);
    expect([report.failures.kept, await ids()]).toEqual([[], ['c1', 'c2']]);
  });

  it('with an object and an empty list of conversations contains none', async () => {
    expect(await readValues('{"conversations": [ ], "user": 1}')).toEqual([]);
  });

  it('with an object whose conversations are messages is one conversation', async () => {
    const one = { id: 'x', conversations: [{ from: 'human', value: 'hi' }] };
    expect(await readValues(JSON.stringify(one))).toEqual([['line 1', one]]);
    expect(await readValues(`${JSON.stringify(one)}\n${JSON.stringify(one)}`)).toHaveLength(2);
  });

  it('from a pipe is read, plain, gzipped and zipped', async () => {
    for (const [n, content] of [ARRAY, gzipSync(ARRAY), writeZip({ 'conversations.json': ARRAY })].entries()) {
      const bytes = Buffer.from(content);
      const file = await openStream(Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]), 'standard input');
      const report = await importFile(database.store, `user ${n}`, file);
      await file.close();
      expect([report.failures.kept, report.conversations.imported]).toEqual([[], 2]);
    }
    await expect(openStream(Readable.from([]), 'standard input')).rejects.toThrow('standard input is empty');
  });
});

describe('a zip', () => {
  it('without a conversations.json is searched, and other files are omitted', async () => {
    const zip = writeZip({
      'data/one.json': JSON.stringify(ONE),
      'data/deep/two.jsonl': JSON.stringify(TWO),
      'data/user.json': '{"name": "Ann"}',
      'data/notes.json': 'oops',
      'photo.png': 'x',
    });
    const report = await importContent(database, zip);
    expect([report.failures.kept, await ids()]).toEqual([[], ['c1', 'c2']]);
    expect(report.notes.kept).toEqual([
      'data/notes.json contains no conversations',
      'data/user.json contains no conversations',
    ]);
  });

  it('without conversations is reported', async () => {
    const report = await importContent(database, writeZip({ 'user.json': '{"name": "Ann"}' }));
    expect(report.failures.kept).toEqual(['the file: nothing in it is a conversation']);
  });

  it('with a name that points outside is refused', async () => {
    const zip = writeZip({ '../conversations.json': ARRAY });
    await expect(importContent(database, zip)).rejects.toThrow(
      'The zip file cannot be read: the name of a file in it leads out of it: ../conversations.json',
    );
  });

  it('that would fill the disk is refused, and also such a gzip file', async () => {
    const bomb = `[${' '.repeat(70 * 1024 * 1024)}]`;
    const zipped = await importContent(database, writeZip({ 'conversations.json': bomb }));
    expect(zipped.failures.kept).toEqual([expect.stringMatching(/unpacks to more than 300 times its size/)]);
    const gzipped = await importContent(database, gzipSync(bomb));
    expect(gzipped.failures.kept).toEqual([
      expect.stringMatching(/^the file: The file unpacks to more than 300 times/),
    ]);
  });

  it('whose files together would fill the disk is read up to the limit', async () => {
    const bomb = `[${' '.repeat(40 * 1024 * 1024)}]`;
    const zip = { 'conversations-0.json': ARRAY, 'conversations-1.json': bomb, 'conversations-2.json': bomb };
    const { conversations, failures } = await importContent(database, writeZip(zip));
    expect(conversations.imported).toBeGreaterThan(0);
    expect(failures.kept).toEqual([
      expect.stringMatching(/conversations-2\.json.* unpacks to more than 300 times its size/),
    ]);
  });
});

describe('values found in a text', () => {
  it.each<[text: string, values: unknown[]]>([
    ['[1, "a]\\"", {"b": [2]}]', [1, 'a]"', { b: [2] }]],
    ['{"a": "}{"}\n{"b": 1}', [{ a: '}{' }, { b: 1 }]],
    ['{\n"a":\n{\n"b": [\n{\n}\n]\n}\n}', [{ a: { b: [{}] } }]],
    ['{"a": 1} {"b": 2}\r\n\r\n{"c": 3}\n', [{ a: 1 }, { b: 2 }, { c: 3 }]],
    ['{"x": "\\ud83d\\ude00 \u{1f600} \\\\"}', [{ x: '\u{1f600} \u{1f600} \\' }]],
    ['{"conversations": [{"a": "]"}, {"b": 2}], "z": [1]}', [{ a: ']' }, { b: 2 }]],
    ['{"conversations": ["a", {"b": 2}]}', [{ conversations: ['a', { b: 2 }] }]],
  ])('are equal for chunks of any size: %j', async (text, values) => {
    for (const size of [1, 2, 3, 5, 7, 1000]) {
      expect((await readValues(text, size)).map(([, value]) => value)).toEqual(values);
    }
  });

  it('are equal to any list, with any formatting', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 }),
        fc.constantFrom('array', 'lines', 'object'),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 0, max: 2 }),
        async (values, form, size, indent) => {
          const text = {
            array: JSON.stringify(values, null, indent),
            lines: values.map((value) => JSON.stringify(value)).join('\n'),
            object: JSON.stringify({ before: { x: [] }, conversations: values, after: ['}'] }, null, indent),
          }[form];
          if (form === 'lines' && values.length === 0) return;
          if (form === 'object' && values.some((value) => 'role' in value || 'from' in value)) return;
          if (values.some((value) => 'conversations' in value)) return;
          expect((await readValues(text, size)).map(([, value]) => value)).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it.each<[text: string, told: unknown[]]>([
    ['{"a": [1,\n{"b": 2}]}', [['the conversation', { a: [1, { b: 2 }] }]]],
    [
      '{"a": "x\n{"b": 1}\n{"c": "y\n{"d": 2}',
      [
        ['line 1', 'it breaks off in the middle of a text'],
        ['line 2', { b: 1 }],
        ['line 3', 'it breaks off in the middle of a text'],
        ['line 4', { d: 2 }],
      ],
    ],
    [
      '{"b": 1}\n{"c": [2,\n{"d": 2}\noops\n12',
      [
        ['line 1', { b: 1 }],
        ['line 2', 'it breaks off before its end'],
        ['line 3', { d: 2 }],
        ['line 4', expect.stringContaining('it is not JSON: it goes wrong at character 1')],
        ['line 5', 12],
      ],
    ],
    [
      '[{"a": 1}, {"b": "cu',
      [
        ['conversation 1', { a: 1 }],
        ['conversation 2', 'it breaks off before its end: the file is not complete; nothing after it was read'],
      ],
    ],
    [
      '{"conversations": [{"a": 1}, {"b": 2}',
      [
        ['conversation 1', { a: 1 }],
        ['conversation 2', { b: 2 }],
        ['conversation 3', 'it breaks off before its end: the file is not complete; nothing after it was read'],
      ],
    ],
  ])('report the position of the fault: %j', async (text, expected) => {
    for (const size of [1, 4, 1000]) expect(await readValues(text, size)).toEqual(expected);
  });

  it('contain the beginning of a string beyond the limit, and the rest of the file is read', async () => {
    const text = `[{"a": "${'\\u00e9\u00e9'.repeat(1_500_000)}", "b": 1}, {"c": 2}]`;
    const [[, first], second] = (await readValues(text, 65_536)) as [[string, { a: string; b: number }], unknown[]];
    expect(first.b).toBe(1);
    expect(first.a.length).toBeLessThan(800_000);
    expect(first.a.replaceAll('\u00e9', '')).toBe('');
    expect(second).toEqual(['conversation 2', { c: 2 }]);
  });

  it('are refused if they are nested too deeply', async () => {
    expect(await readValues('['.repeat(5_000_000))).toEqual([
      ['conversation 1', 'it nests deeper than 500,000 levels; nothing after it was read'],
    ]);
  });
});

it('a conversation that is parsed in pieces is imported equally', async () => {
  const nodes = Array.from({ length: 300 }, (_, n) => (n === 0 ? 'n0' : `n${n} < n${n - 1}`));
  const large = conversation(nodes);
  for (const id of Object.keys(large.mapping)) {
    nodeOf(large, id).message = message(id, { metadata: { filler: 'x'.repeat(20_000), 'k\0': 'half \ud83d' } });
  }
  nodeOf(large, 'n7').message = message('n7', { metadata: { filler: 'x'.repeat(100_000) } });
  const report = await importContent(database, [large, TWO]);
  expect(report.failures.kept).toEqual([]);
  const { c1, c2 } = await importedChats(database);
  expect([c1?.messages.length, c1?.branches, c2?.messages.length]).toEqual([300, { main: 'n299' }, 1]);
  const [, second] = c1?.messages ?? [];
  expect(second?.data.parts).toEqual([{ type: 'text', text: 'text of n1' }]);
  expect(second?.data.metadata['original']).toMatchObject({ metadata: { 'k\ufffd': 'half \ufffd' } });
  expect((await importContent(database, [large])).conversations.unchanged).toBe(1);
});
