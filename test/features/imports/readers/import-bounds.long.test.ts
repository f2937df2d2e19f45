import { describe, expect, it } from 'vitest';
import { MAX_DATA_BYTES } from '../../../../src/conversation/bounds.js';
import { prepareConversation } from '../../../../src/features/imports/conversations/import-conversation.js';
import type { SourceConversation } from '@parley/interchange/server';
import { plainLines } from '../../../../packages/interchange/src/readers/datasets/plain-lines.js';
import { SourceGraph } from '../../../../packages/interchange/src/readers/shared/source-graph.js';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { conversation, message, nodeOf } from './chatgpt-export.js';
import { importContent, importedChats, onlyChat } from '../imported-chats.js';

const database = databaseForEach();

describe('imports', () => {
  it('replace unstorable characters of texts and keys by U+FFFD, with a warning', async () => {
    const given = conversation(['a\0', 'b < a\0'], { title: 'Nul \0 and half \ud83d' });
    nodeOf(given, 'b').message = message('b', {
      content: { content_type: 'text', parts: ['x\0y', 'whole \u{1f600}'] },
      metadata: { 'k\0': 1, 'k\ufffd': 2 },
    });
    const report = await importContent(database, [given]);
    const chat = await onlyChat(database);
    expect(chat.tree).toEqual(['a\ufffd', 'b < a\ufffd']);
    expect(chat.title).toBe('Nul \ufffd and half \ufffd');
    expect(chat.messages[1]?.data.parts.map((part) => part.text)).toEqual(['x\ufffdy', 'whole \u{1f600}']);
    expect(chat.messages[1]?.data.metadata['original']).toMatchObject({
      metadata: { 'k\ufffd\ufffd': 1, 'k\ufffd': 2 },
    });
    expect(report.summary()).toContainEqual(
      expect.stringMatching(/^ {2}\d texts had characters that cannot be stored/),
    );
  });

  it('replace unpaired surrogates by U+FFFD in files with one conversation per line', async () => {
    const report = await importContent(database, JSON.stringify(conversation(['a'], { title: 'half \ud83d' })));
    expect((await onlyChat(database)).title).toBe('half \ufffd');
    expect(report.textsChanged).toBe(1);
  });

  it('truncate a long title with an ellipsis, never within a surrogate pair, and keep the original', async () => {
    const title = `${'x'.repeat(253)}\u{1f600}${'y'.repeat(100)}`;
    await importContent(database, [conversation(['a'], { title })]);
    const chat = await onlyChat(database);
    expect(chat.title).toBe(`${'x'.repeat(253)}…`);
    expect(chat.metadata.import['title']).toBe(title);
  });

  it.each([
    ['', null],
    ['  ', null],
    ['ends in a space ', 'ends in a space'],
    [12, null],
  ])('change the title %j to %j', async (title, expected) => {
    await importContent(database, [conversation(['a'], { title })]);
    expect((await onlyChat(database)).title).toBe(expected);
  });

  it('omit the raw original of a message that exceeds the limit with it, with a warning', async () => {
    const given = conversation(['a']);
    nodeOf(given, 'a').message = message('a', { metadata: { blob: 'x'.repeat(MAX_DATA_BYTES) } });
    const report = await importContent(database, [given]);
    const [saved] = (await onlyChat(database)).messages;
    expect(saved?.data.parts).toEqual([{ type: 'text', text: 'text of a' }]);
    expect(saved?.data.metadata).toEqual({ source: 'chatgpt', id: 'a', hash: expect.any(String) as string });
    expect(report.warnings.kept).toEqual([
      expect.stringContaining('1 of its messages were too large or nested too deep'),
    ]);
  });

  it('replace a message that exceeds the limit, and keep its parent and replies', async () => {
    const given = conversation(['a', 'big < a', 'c < big'], { title: 'Big' });
    nodeOf(given, 'big').message = message('big', {
      content: { content_type: 'text', parts: ['x'.repeat(MAX_DATA_BYTES)] },
    });
    const report = await importContent(database, [given]);
    expect(report.failures.kept).toEqual([]);
    expect(report.warnings.kept).toEqual([
      'conversation 1 ("Big"): message "big" was too large or nested too deep, and replaced by a placeholder with the reason',
    ]);
    const { tree, messages } = await onlyChat(database);
    expect(tree).toEqual(['a', 'big < a', 'c < big']);
    expect(messages[1]?.data).toMatchObject({
      role: 'user',
      parts: [{ type: 'text', text: expect.stringContaining('a message must have at most 1048576 bytes') as string }],
      metadata: { source: 'chatgpt', id: 'big' },
    });
  });

  it('handle values that are nested deeper than the stack', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const given = JSON.stringify([conversation(['a']), conversation(['a'], { conversation_id: 'c2', deep: 'DEEP' })]);
    const report = await importContent(
      database,
      given.replace('"metadata":{}', `"metadata":${deep}`).replace('"DEEP"', deep),
    );
    expect(report.failures.kept).toEqual([]);
    expect((await importedChats(database))['c1']?.messages[0]?.data.metadata).toEqual({
      source: 'chatgpt',
      id: 'a',
      hash: expect.any(String) as string,
    });
    expect((await importedChats(database))['c2']?.metadata.import).not.toHaveProperty('original');
  });

  it('report a message and a file that are nested too deeply, without a stack', async () => {
    const given = conversation(['a'], { title: 'Deep' });
    nodeOf(given, 'a').message = message('a', { content: { content_type: 'chart', deep: 'DEEP' } });
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const report = await importContent(database, JSON.stringify([given]).replace('"DEEP"', deep));
    expect(report.warnings.kept).toEqual([
      'conversation 1 ("Deep"): message "a" was too large or nested too deep, and replaced by a placeholder with the reason',
    ]);
    const [saved] = (await onlyChat(database)).messages;
    expect(saved?.data.parts[0]?.text).toMatch(/^\[Left out .* nest/);

    const brackets = await importContent(database, '['.repeat(5_000_000));
    expect(brackets.failures.kept).toEqual([
      'conversation 1: it nests deeper than 500,000 levels; nothing after it was read',
    ]);
  });

  it('omit values that are too large from the metadata of a chat', async () => {
    await importContent(database, [
      conversation(['a'], { safe_urls: ['x'.repeat(70_000)], title: 'y'.repeat(300) }),
      conversation(['a'], { conversation_id: 'c2', title: 'x'.repeat(70_000) }),
    ]);
    const { c1, c2 } = await importedChats(database);
    expect(c1?.metadata.import).not.toHaveProperty('original');
    expect(c1?.metadata.import).toMatchObject({ conversationId: 'c1', title: 'y'.repeat(300) });
    expect(String(c2?.metadata.import['title'])).toHaveLength(255);
    const rows = await database.allRows();
    await importContent(database, [conversation(['a'], { conversation_id: 'c2', title: 'x'.repeat(70_000) })]);
    expect(await database.allRows()).toEqual(rows);
  });

  it('handle members with the names of properties of Object', async () => {
    const given = conversation(['A', 'B < A']);
    nodeOf(given, 'B').message = message('B', { metadata: { 'k\0': 0, A: 'x\0' } });
    const report = await importContent(
      database,
      JSON.stringify([given]).replaceAll('"A"', '"__proto__"').replaceAll('"B"', '"constructor"'),
    );
    expect(report.failures.kept).toEqual([]);
    const { tree, messages } = await onlyChat(database);
    expect(tree).toEqual(['__proto__', 'constructor < __proto__']);
    expect(JSON.stringify(messages[1]?.data)).toContain('"metadata":{"k\ufffd":0,"__proto__":"x\ufffd"}');
  });

  it.each([
    ['values', `"x":[[]${',[]'.repeat(1_400_000)}]`, 'it has more than 2,500,000 values'],
    [
      'members of an object',
      Array.from({ length: 200_001 }, (_, n) => `"k${n}":1`).join(),
      'it has an object with more than 200,000 members',
    ],
  ])('omit a conversation with too many %s, and import the next one', async (_, members, reason) => {
    const next = JSON.stringify(conversation(['a']));
    const report = await importContent(database, `[{"mapping":{},"create_time":1,${members}},${next}]`);
    expect(report.failures.kept).toEqual([`conversation 1: it is too large to be read: ${reason}`]);
    expect((await onlyChat(database)).tree).toEqual(['a']);
  });

  it('omit a conversation with too many lines completely', async () => {
    const report = await importContent(database, '{"name":"user","content":"hello"}\n'.repeat(200_001));
    expect(report.failures.kept).toEqual(['line 1: it has more than 200,000 lines']);
    expect(await importedChats(database)).toEqual({});
  });

  it('omit a line that is too large, and continue with the next one', async () => {
    const large = JSON.stringify({ name: 'user', content: Array<string>(200).fill('x'.repeat(100_000)) });
    const report = await importContent(database, `{"name":"user","content":"a"}\n${large}\n`);
    expect(report.failures.kept).toEqual(['line 2 ("user"): it is too large for a line: 20 MB of text']);
    expect((await onlyChat(database)).messages).toHaveLength(1);
  });

  it('assign new ids to messages with duplicate ids, in linear time', () => {
    const graph = new SourceGraph();
    let number = 0;
    const add = (id: string) => {
      const fingerprinted = ++number;
      return graph.add({
        id,
        parent: null,
        createdAt: null,
        content: () => ({ role: 'user', parts: [], original: {}, fingerprinted }),
      });
    };
    const [first, many] = [40_001, 40_000];
    for (let n = 0; n < many; n++) add(`x#${first + n}`);
    add('x');
    const renamed = Array.from({ length: many }, () => add('x'));
    expect(new Set([...graph.ids])).toHaveLength(2 * many + 1);
    expect(renamed[0]).toBe(`x#${first + many}`);
    expect(graph.warnings).toHaveLength(101);
    expect(graph.warnings.at(-1)).toBe('39900 more of its messages have ids of others, and got new ones');
  });

  it('keep each branch of a conversation without replies', async () => {
    const leaves = Array.from({ length: 2500 }, (_, n) => `m${n} < a`);
    await importContent(database, [conversation(['a', ...leaves])]);
    const { branches, messages } = await onlyChat(database);
    expect(messages).toHaveLength(2501);
    expect(Object.keys(branches)).toHaveLength(2500);
  });

  it('yield to other work while a large conversation is prepared', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => ({ name: 'user', content: `text ${n}` }));
    const [read] = plainLines.readAll(lines);
    let turns = 0;
    const count = () => (turns++, (next = setImmediate(count)));
    let next = setImmediate(count);
    await prepareConversation(database.store, 'ann', read as SourceConversation);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(1);
  });
});
