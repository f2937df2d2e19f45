/** Times, encodings and integers in any format, and names of files in a zip. */
import { describe, expect, it } from 'vitest';
import { readConversations } from '@parley/interchange';
import { writeZip } from '../zips/write-zip.js';
import { readTrees } from './read-trees.js';

describe('a time', () => {
  const timesOf = async (createdAt: unknown) =>
    (await readTrees([{ role: 'user', content: 'Hi', createdAt }])).trees[0]?.times;

  it.each<[value: unknown, time: string]>([
    ['2025-06-01T09:00:00+02:00', '2025-06-01T07:00:00.000Z'],
    ['2025-06-01 09:00:00Z', '2025-06-01T09:00:00.000Z'],
    ['2025-06-01', '2025-06-01T00:00:00.000Z'],
    ['2025/6/1 09:00 UTC', '2025-06-01T09:00:00.000Z'],
    ['6/1/2025, 9:00:00 AM UTC', '2025-06-01T09:00:00.000Z'],
    ['Sun, 01 Jun 2025 09:00:00 GMT', '2025-06-01T09:00:00.000Z'],
    ['Sun Jun 01 2025 09:00:00 GMT+0000 (UTC)', '2025-06-01T09:00:00.000Z'],
    ['Sun Jun  1 09:00:00 2025 GMT', '2025-06-01T09:00:00.000Z'],
    ['June 1, 2025 9:00 AM UTC', '2025-06-01T09:00:00.000Z'],
    ['1748768400', '2025-06-01T09:00:00.000Z'],
    [1748768400.5, '2025-06-01T09:00:00.500Z'],
  ])('is read from %s', async (value, time) => {
    expect(await timesOf(value)).toEqual([time]);
  });

  it.each<[value: unknown]>([
    [0],
    [12],
    ['7'],
    ['0'],
    ['Step 5'],
    ['May I ask 2 questions'],
    ['1970-01-01T00:00:00Z'],
    [-5],
    [null],
  ])('is not read from %s', async (value) => {
    expect(await timesOf(value)).toEqual([null]);
  });

  it('of 0 is none in ChatGPT', async () => {
    const message = {
      id: 'a',
      author: { role: 'user' },
      create_time: 0,
      content: { content_type: 'text', parts: ['x'] },
    };
    const mapping = { a: { id: 'a', parent: null, children: [], message } };
    const { trees } = await readTrees([{ id: 'c', title: 'T', create_time: 0, current_node: 'a', mapping }]);
    expect(trees[0]?.times).toEqual([null]);
  });
});

describe('bytes', () => {
  const line = (text: string) => JSON.stringify({ role: 'user', content: text });

  it.each<[what: string, bytes: Buffer, fault: string]>([
    ['Latin-1', Buffer.from(line('Café'), 'latin1'), 'it is not valid UTF-8: byte 0xE9 at offset 29'],
    [
      'Latin-1 after other characters',
      Buffer.concat([Buffer.from(line('Ü😀') + '\n'), Buffer.from(line('é '), 'latin1')]),
      'it is not valid UTF-8: byte 0xE9 at offset 61',
    ],
    [
      'a lone byte far away',
      Buffer.concat([Buffer.from(line('é'.repeat(99_999)).slice(0, -2)), Buffer.from([0x80]), Buffer.from('"}')]),
      'it is not valid UTF-8: byte 0x80 at offset 200024',
    ],
  ])('that are not UTF-8 are refused with their position: %s', async (_, bytes, fault) => {
    const { failures } = await readTrees(bytes);
    expect(failures.join()).toContain(fault);
  });

  it('of a character can be in two chunks', async () => {
    const text = `\uFEFF${line('ü😀'.repeat(100_000))}`;
    expect((await readTrees(text)).trees[0]?.main).toEqual(['ü😀'.repeat(100_000)]);
  });

  it('of integers above 2^53 keep their digits', async () => {
    const values =
      '"id":12345678901234567891,"n":[-9007199254740993, 9007199254740992,1700000000000000123 ],"f":0.12345678901234567';
    const text = `{"messages":[{"role":"user","content":"1, 12345678901234567891, \\", 2",${values}}]}`;
    const { trees } = await readTrees(text);
    expect(trees[0]?.main).toEqual(['1, 12345678901234567891, ", 2']);
    for await (const { nodes } of readConversations(Buffer.from(text))) {
      expect(nodes[0]?.id).toBe('12345678901234567891');
      expect(nodes[0]?.content().original).toMatchObject({
        n: ['-9007199254740993', 9007199254740992, '1700000000000000123'],
        f: 0.12345678901234567,
      });
    }
  });
});

describe('messages line by line', () => {
  const line = (id: string, parentId: string | null, content: string) => ({ id, parentId, role: 'user', content });
  const read = async (...values: unknown[]) => {
    const { trees, warnings } = await readTrees(values.map((value) => JSON.stringify(value)).join('\n'));
    return { trees: trees.map(({ main, others }) => ({ main, others })), warnings };
  };

  it('follow the line before when the parent is missing', async () => {
    expect(await read(line('a', null, 'A'), line('b', 'lost', 'B'), line('c', 'gone', 'C'))).toEqual({
      trees: [{ main: ['A', 'B', 'C'], others: [] }],
      warnings: ['line 1: 2 messages name parents that the file does not contain: each follows the message before it'],
    });
  });

  it('begin a path when the newest message is first, and the parent is missing', async () => {
    expect(await read(line('c', 'b', 'C'), line('b', 'lost', 'B'), line('a', null, 'A'))).toEqual({
      trees: [{ main: ['A'], others: [['B', 'C']] }],
      warnings: ['line 1: 1 message names a parent that the file does not contain: it begins a path of its own'],
    });
  });

  it('of one id are kept with their answers, except equal copies', async () => {
    const copied = [line('a', null, 'A'), line('b', 'a', 'B'), line('b', 'a', 'B')];
    expect(await read(...copied, line('c', 'b', 'C'))).toEqual({
      trees: [{ main: ['A', 'B', 'C'], others: [] }],
      warnings: [],
    });
    expect(await read(...copied, line('b', 'a', 'X'), line('c', 'b', 'C'))).toEqual({
      trees: [{ main: ['A', 'X', 'C'], others: [['A', 'B']] }],
      warnings: ['line 1: two of its messages have the id b: the second became b#3'],
    });
  });
});

it('messages that all have one id are kept, also those with equal texts', async () => {
  const messages = ['Go on', 'One', 'Go on', 'Two'].map((content, n) => ({
    id: 'x',
    role: n % 2 === 0 ? 'user' : 'assistant',
    content,
  }));
  expect((await readTrees({ messages })).trees.map(({ main }) => main)).toEqual([['Go on', 'One', 'Go on', 'Two']]);
});

describe('a zip', () => {
  const chat = (id: string) => JSON.stringify([{ id, messages: [{ role: 'user', content: id }] }]);

  it('has the conversations of copies that browsers and file managers name', async () => {
    const names = [
      'conversations.json',
      'conversations (1).json',
      'conversations-001(2).json',
      'a/conversations - Copy (2).json',
      'conversations copy.json',
    ];
    const files = Object.fromEntries(names.map((name, n) => [name, chat(`chat ${n}`)]));
    const { trees } = await readTrees(writeZip({ ...files, 'user.json': '{}' }));
    expect(trees.map(({ id }) => id).sort()).toEqual(names.map((_, n) => `chat ${n}`));
  });
});

describe('a file of another product', () => {
  it.each<[name: string, value: object]>([
    ['TypingMind', { data: { chats: [{ chatID: 'a', messages: [] }] } }],
    ['RisuAI', { type: 'risuChat', ver: 2, data: {} }],
    ['KoboldAI', { gamestarted: true, actions: [] }],
    ['Zed', { zed: 'context', messages: [] }],
    ['Cursor', { allComposers: [] }],
  ])('is refused with its name: %s', async (name, value) => {
    const { failures } = await readTrees(value);
    expect(failures).toEqual([expect.stringContaining(`files of ${name} are not supported`)]);
  });
});
