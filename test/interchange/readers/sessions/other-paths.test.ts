/** The messages of sessions of other agents that are on main, and those that are not. */
import { describe, expect, it } from 'vitest';
import { readTrees } from '../read-trees.js';
import { lines } from './session-lines.js';

describe('a session of Grok CLI', () => {
  it('is a conversation with thoughts, calls and results', async () => {
    const { trees } = await readTrees(
      lines(
        { type: 'system', content: 'Be terse.' },
        { type: 'user', content: [{ type: 'text', text: 'Context' }], synthetic_reason: 'environment' },
        { type: 'user', content: [{ type: 'text', text: 'How many?' }] },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        { type: 'assistant', content: '', tool_calls: [{ id: 'c', name: 'ls', arguments: '{"n":1}' }] },
        { type: 'tool_result', tool_call_id: 'c', content: 'a.txt' },
        { type: 'assistant', content: 'One.' },
      ),
    );
    expect(trees).toMatchObject([{ source: 'lines', others: [] }]);
    expect(trees[0]?.main).toEqual([
      'Be terse.',
      'Context',
      'How many?',
      'Hm.',
      expect.stringContaining('"toolName":"ls","input":{"n":1}'),
      expect.stringContaining(
        '"toolName":"ls","toolCallId":"c","state":"output-available","input":{"n":1},"output":"a.txt"',
      ),
      'One.',
    ]);
  });

  it('is read without a system prompt', async () => {
    const { trees } = await readTrees(lines({ type: 'user', content: 'Hi' }, { type: 'assistant', content: 'Hello' }));
    expect(trees.map(({ main }) => main)).toEqual([['Hi', 'Hello']]);
  });
});

describe('sessions of Qwen Code and Claude Code in one file', () => {
  it('are read by their own readers', async () => {
    const linked = (uuid: string, parentUuid: string | null) => ({ uuid, parentUuid, type: 'user' });
    const qwen = { sessionId: 'q', message: { role: 'user', parts: [{ text: 'Q' }] } };
    const claude = { sessionId: 'c', message: { role: 'user', content: 'C' } };
    const values = [
      { ...linked('a', null), ...claude },
      { ...linked('a', null), ...qwen },
    ];
    for (const file of [values, values.toReversed()]) {
      const { trees } = await readTrees(lines(...file));
      const found = trees.map(({ source, id, main }) => [source, id, ...main]).sort();
      expect(found).toEqual([
        ['claude-code', 'c', 'C'],
        ['qwen-code', 'q', 'Q'],
      ]);
    }
  });
});
