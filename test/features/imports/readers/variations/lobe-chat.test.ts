/** Tables of LobeHub's server exports. */
import { describe, expect, it } from 'vitest';
import { readTrees } from '../read-trees.js';

type Row = Record<string, unknown>;

let second = 0;
const message = (id: string, parentId: string | null, more: Row = {}) => ({
  ...{
    id,
    role: 'user',
    content: id.toUpperCase(),
    topicId: 't',
    createdAt: `2026-01-01T10:00:${String(++second % 60).padStart(2, '0')}Z`,
  },
  ...(parentId === null ? {} : { parentId }),
  ...more,
});
const answer = { role: 'assistant' };

async function read(tables: Row) {
  second = 0;
  const { trees, warnings } = await readTrees({ mode: 'postgres', schemaHash: 'x', data: tables });
  return { trees: trees.map(({ id, title, main, others }) => ({ id, title, main, others })), warnings };
}

describe('tables of LobeHub', () => {
  it('have a thread beside its topic', async () => {
    const inThread = { threadId: 'h' };
    const messages = [
      message('q', null),
      message('a', 'q', answer),
      message('x', null, inThread),
      message('y', 'x', { ...answer, ...inThread }),
      message('z', null, inThread),
      message('r', null),
      message('b', 'r', answer),
    ];
    const threads = [{ id: 'h', topicId: 't', sourceMessageId: 'q', type: 'continuation' }];
    expect(await read({ messages, threads, topics: [{ id: 't', title: 'T' }] })).toEqual({
      trees: [{ id: 't', title: 'T', main: ['Q', 'A', 'R', 'B'], others: [['Q', 'X', 'Y', 'Z']] }],
      warnings: ['line 1 ("T"): messages beside main, because threads contain them: 3'],
    });
  });

  it('have the calls of results in a table of their own', async () => {
    const tool = { role: 'tool' };
    const messages = [
      message('q', null),
      message('a', 'q', {
        ...answer,
        tools: [{ id: 'c1', identifier: 'sea', apiName: 'tides', arguments: '{"at":"Brest"}' }],
      }),
      message('r1', 'a', tool),
      message('r2', 'a', tool),
      message('r3', 'a', { ...tool, content: '' }),
      message('b', 'r1', answer),
    ];
    const messagePlugins = [
      { id: 'r1', toolCallId: 'c1', identifier: 'sea', apiName: 'tides', arguments: '{"at":"Brest"}' },
      { id: 'r2', toolCallId: 'c2', identifier: 'sea', apiName: 'winds', arguments: '{"at":"Cork"}' },
      { id: 'r3', toolCallId: 'c3', identifier: 'sea', apiName: 'waves', error: { message: 'none' } },
    ];
    const { trees } = await read({ messages, messagePlugins });
    const common = { type: 'dynamic-tool', state: 'output-available' };
    expect(trees[0]?.others).toEqual([]);
    const shown = trees[0]?.main.map((text) =>
      text.startsWith('{"type":"dynamic') ? (JSON.parse(text) as Row) : text,
    );
    expect(shown).toEqual([
      'Q',
      expect.stringMatching(/^A \| .*"toolName":"tides"/),
      { ...common, toolName: 'tides', toolCallId: 'c1', input: { at: 'Brest' }, output: 'R1' },
      { ...common, toolName: 'winds', toolCallId: 'c2', input: { at: 'Cork' }, output: 'R2' },
      {
        type: 'dynamic-tool',
        state: 'output-error',
        toolName: 'waves',
        toolCallId: 'c3',
        input: {},
        errorText: '{"message":"none"}',
      },
      'B',
    ]);
  });

  it('have citations, which are sources', async () => {
    const search = { citations: [{ url: 'https://tides.example/', title: 'Tides' }], searchQueries: ['tides'] };
    const { trees } = await read({ messages: [message('q', null), message('a', 'q', { ...answer, search })] });
    expect(trees[0]?.main[1]).toBe(
      'A | {"type":"source-url","sourceId":"https://tides.example/","url":"https://tides.example/","title":"Tides"}',
    );
  });

  it('have a chat for each agent without topics', async () => {
    const messages = [
      message('q', null, { topicId: null, agentId: 'x' }),
      message('r', null, { topicId: null, agentId: 'y' }),
    ];
    expect((await read({ messages, agents: [{ id: 'x', title: 'X' }] })).trees).toEqual([
      { id: 'x', title: 'X', main: ['Q'], others: [] },
      { id: 'y', title: 'R', main: ['R'], others: [] },
    ]);
  });

  it.each<[what: string, index: unknown, main: string[], others: string[][]]>([
    ['the first answer', 0, ['Q', 'A', 'R'], [['Q', 'B']]],
    ['the second answer', 1, ['Q', 'B', 'R'], [['Q', 'A']]],
    ['an answer that is not there', 2, ['Q', 'B', 'R'], [['Q', 'A']]],
    ['none', undefined, ['Q', 'B', 'R'], [['Q', 'A']]],
  ])('have the chosen answer on main: %s', async (_, activeBranchIndex, main, others) => {
    const messages = [
      message('q', null, { metadata: { activeBranchIndex } }),
      message('a', 'q', answer),
      message('b', 'q', answer),
      message('r', null),
    ];
    expect((await read({ messages })).trees).toMatchObject([{ main, others }]);
  });

  it('keep the messages after an answer that is not chosen beside main', async () => {
    const messages = [
      message('q', null, { metadata: { activeBranchIndex: 0 } }),
      message('a', 'q', answer),
      message('b', 'q', answer),
      message('r', 'b'),
    ];
    expect((await read({ messages })).trees).toMatchObject([{ main: ['Q', 'A'], others: [['Q', 'B', 'R']] }]);
  });
});
