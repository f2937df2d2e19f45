/** The messages of Claude Code's sessions that are on main, and those that are not. */
import { describe, expect, it } from 'vitest';
import { readTrees } from '../read-trees.js';
import { at, lines, type Json } from './session-lines.js';

const line = (uuid: string, parentUuid: string | null, text: string, more: Json = {}) => ({
  ...{ type: 'user', uuid, parentUuid, sessionId: 's', timestamp: at(1) },
  message: { role: 'user', content: text },
  ...more,
});
const side = { isSidechain: true };
const boundary = (uuid: string, logicalParentUuid: string | null, more: Json = {}) => ({
  ...{ type: 'system', subtype: 'compact_boundary', content: `cut ${uuid}`, parentUuid: null },
  ...{ uuid, logicalParentUuid, sessionId: 's', timestamp: at(1) },
  ...more,
});

async function read(...values: unknown[]) {
  const { trees, warnings } = await readTrees(lines(...values));
  return { trees: trees.map(({ id, main, others }) => ({ id, main, others })), warnings };
}

describe('a session of Claude Code', () => {
  it('of a subagent has its last line at the head of main', async () => {
    const agent = { ...side, agentId: 'x' };
    expect(await read(line('a', null, 'A', agent), line('b', 'a', 'B', agent), line('c', 'b', 'C', agent))).toEqual({
      trees: [{ id: 's/x', main: ['A', 'B', 'C'], others: [] }],
      warnings: [],
    });
  });

  it('with side chains has them beside main, with a warning', async () => {
    const values = [line('a', null, 'A'), line('x', null, 'X', side), line('y', 'x', 'Y', side), line('b', 'a', 'B')];
    expect(await read(...values)).toEqual({
      trees: [{ id: 's', main: ['A', 'B'], others: [['X', 'Y']] }],
      warnings: ['line 1: messages beside main, because subagents wrote them: 2'],
    });
  });

  it('keeps both messages of one id, each with its answers, and drops equal copies', async () => {
    const values = [line('a', null, 'A'), line('b', 'a', 'B'), line('a', null, 'Other'), line('c', 'a', 'C')];
    const { trees, warnings } = await read(...values, line('c', 'a', 'C'));
    expect(trees).toEqual([{ id: 's', main: ['Other', 'C'], others: [['A', 'B']] }]);
    expect(warnings).toEqual(['line 1: two of its messages have the id a: the second became a#3']);
  });

  it('with equal copies of earlier lines at its end keeps its head', async () => {
    const values = [line('a', null, 'A'), line('b', 'a', 'B'), line('c', 'b', 'C'), line('b', 'a', 'B')];
    expect(await read(...values)).toEqual({ trees: [{ id: 's', main: ['A', 'B', 'C'], others: [] }], warnings: [] });
  });

  it('with the ids of another session keeps the messages apart', async () => {
    const other = { sessionId: 't' };
    const values = [line('a', null, 'A'), line('b', 'a', 'B'), line('a', null, 'C', other), line('b', 'a', 'D', other)];
    expect((await read(...values)).trees).toEqual([
      { id: 's', main: ['A', 'B'], others: [] },
      { id: 't', main: ['C', 'D'], others: [] },
    ]);
  });

  it('with a missing parent continues the line before it, with a warning', async () => {
    const values = [line('a', null, 'A'), line('x', null, 'X', side), line('b', 'lost', 'B'), line('c', 'b', 'C')];
    expect(await read(...values)).toEqual({
      trees: [{ id: 's', main: ['A', 'B', 'C'], others: [['X']] }],
      warnings: [
        'line 1: 1 message names a parent that the file does not contain: it follows the message before it',
        'line 1: messages beside main, because subagents wrote them: 1',
      ],
    });
  });

  it.each<[what: string, named: string | null]>([
    ['an earlier turn', 'a'],
    ['a line that the file does not have', 'lost'],
    ['no line', null],
  ])('keeps the turns between two compactions on main when the second names %s', async (_, named) => {
    const values = [
      line('a', null, 'A'),
      boundary('k', 'a'),
      line('s1', 'k', 'Sum', { isCompactSummary: true }),
      line('b', 's1', 'B'),
      boundary('l', named),
      line('s2', 'l', 'Sum 2', { isCompactSummary: true }),
      line('c', 's2', 'C'),
    ];
    expect(await read(...values)).toEqual({
      trees: [{ id: 's', main: ['A', 'cut k', 'Sum', 'B', 'cut l', 'Sum 2', 'C'], others: [] }],
      warnings: [],
    });
  });

  it('continues after a compaction that kept the last lines', async () => {
    const compactMetadata = { preservedSegment: { headUuid: 'a', anchorUuid: 's1', tailUuid: 'b' } };
    const values = [
      line('a', null, 'A'),
      line('b', 'a', 'B'),
      boundary('k', 'b', { compactMetadata }),
      line('s1', 'k', 'Sum', { isCompactSummary: true }),
      line('c', 'b', 'C'),
    ];
    expect((await read(...values)).trees).toEqual([{ id: 's', main: ['A', 'B', 'cut k', 'Sum', 'C'], others: [] }]);
  });

  it('keeps a second result of a call', async () => {
    const called = {
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'ls' }] },
    };
    const result = (content: string) => ({
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content }] },
    });
    const values = [
      line('a', null, 'A'),
      line('b', 'a', '', called),
      line('c', 'b', '', result('one')),
      line('d', 'c', '', result('two')),
    ];
    const { trees } = await read(...values);
    expect(trees[0]?.main.map((text) => /"output":"(\w+)"/.exec(text)?.[1] ?? text)).toEqual(['A', 'one', 'two']);
  });
});
