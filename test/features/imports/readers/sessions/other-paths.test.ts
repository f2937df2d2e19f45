/** The messages of sessions of other agents that are on main, and those that are not. */
import { describe, expect, it } from 'vitest';
import { readTrees } from '../read-trees.js';
import { at, lines, type Json } from './session-lines.js';

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

describe('a thread of LangGraph', () => {
  const said = (id: string, content: string, type = 'human') => ({ id, type, content });
  let step = 0;
  const state = (checkpoint_ns: string, ...messages: Json[]) => ({
    values: { messages },
    config: { configurable: { thread_id: 't', checkpoint_ns } },
    created_at: at(++step),
  });
  const read = async (...states: Json[]) => {
    const { trees, warnings } = await readTrees(states.toReversed());
    return { trees: trees.map(({ main, others }) => ({ main, others })), warnings };
  };

  it('has an edited message beside the former one, each with its answers', async () => {
    const [old, edited] = [said('h', 'Apples?'), said('h', 'Pears?')];
    const states = [state('', old), state('', old, said('a', 'Red', 'ai')), state('', edited)];
    expect(await read(...states, state('', edited, said('b', 'Green', 'ai')))).toEqual({
      trees: [{ main: ['Pears?', 'Green'], others: [['Apples?', 'Red']] }],
      warnings: [],
    });
  });

  it('has the messages that an edit keeps after both texts', async () => {
    const [answer, next] = [said('a', 'Red', 'ai'), said('n', 'And?')];
    const states = [state('', said('h', 'Apples?'), answer), state('', said('h', 'Cherries?'), answer)];
    expect((await read(...states, state('', said('h', 'Cherries?'), answer, next))).trees).toEqual([
      { main: ['Cherries?', 'Red', 'And?'], others: [['Apples?', 'Red']] },
    ]);
  });

  it('has an edited answer beside the former one', async () => {
    const question = said('h', 'Apples?');
    const states = [state('', question, said('a', 'Red', 'ai')), state('', question, said('a', 'Green', 'ai'))];
    expect((await read(...states)).trees).toEqual([{ main: ['Apples?', 'Green'], others: [['Apples?', 'Red']] }]);
  });

  it('keeps the beginning that later states lack', async () => {
    const [a, b, c] = [said('a', 'A'), said('b', 'B', 'ai'), said('c', 'C')];
    expect((await read(state('', a, b), state('', b, c))).trees).toEqual([{ main: ['A', 'B', 'C'], others: [] }]);
  });

  it('has the messages of subgraphs beside main', async () => {
    const [question, answer] = [said('h', 'Apples?'), said('a', 'Red', 'ai')];
    const inner = state('search:1', said('x', 'Query'), said('y', 'Result', 'ai'));
    const states = [
      state('', question),
      state('search:1', question, said('z', 'Hm', 'ai')),
      state('', question, answer),
    ];
    expect(await read(...states, inner)).toEqual({
      trees: [{ main: ['Apples?', 'Red'], others: [expect.any(Array), expect.any(Array)] }],
      warnings: ['conversation 1: messages beside main, because subgraphs wrote them: 3'],
    });
  });
});

describe('a session of Codex', () => {
  const line = (type: string, payload: Json) => ({ timestamp: at(1), type, payload });
  const said = (role: string, text: string) =>
    line('response_item', { type: 'message', role, content: [{ type: 'output_text', text }] });
  const meta = line('session_meta', { id: 'a', timestamp: at(1) });

  it('has the name of its thread', async () => {
    const named = (thread_name: string) => line('event_msg', { type: 'thread_name_updated', thread_name });
    const { trees } = await readTrees(lines(meta, named('First'), said('user', 'A'), named('Last')));
    expect(trees[0]?.title).toBe('Last');
  });

  it('shows texts of events that no item repeats, and messages between agents', async () => {
    const event = (message: string) => line('event_msg', { type: 'agent_message', message });
    const between = line('response_item', {
      ...{ type: 'agent_message', author: 'one', recipient: 'two' },
      content: [{ type: 'input_text', text: 'D' }],
    });
    const { trees, warnings } = await readTrees(
      lines(
        meta,
        said('user', 'A'),
        event('B'),
        event('C'),
        said('assistant', 'C <mark>'),
        said('assistant', 'E'),
        between,
      ),
    );
    expect(trees[0]?.main).toEqual(['A', 'B', 'C <mark>', 'E', 'D']);
    expect(warnings.join()).toContain('1 of its lines describe the session');
  });

  it('counts the messages that were rolled back', async () => {
    const back = line('event_msg', { type: 'thread_rolled_back', num_turns: 1 });
    const { trees, warnings } = await readTrees(
      lines(meta, said('user', 'A'), said('user', 'B'), back, said('user', 'C')),
    );
    expect(trees).toMatchObject([{ main: ['A', 'C'], others: [['A', 'B']] }]);
    expect(warnings[0]).toBe('line 1: messages beside main, because they were undone: 1');
  });
});

describe('a session of opencode', () => {
  const message = (id: string, ...texts: string[]) => ({
    info: { id, role: 'user' },
    parts: texts.map((text, n) => ({ id: `${id}.${n}`, type: 'text', text })),
  });
  const read = async (revert: Json) => {
    const messages = [message('m1', 'A'), message('m2', 'B', 'C'), message('m3', 'D')];
    const { trees, warnings } = await readTrees({ info: { id: 's', projectID: 'p', revert }, messages });
    return [trees[0]?.main, trees[0]?.others, warnings];
  };

  it.each<[what: string, revert: Json, main: string[], others: string[][], warnings: unknown[]]>([
    [
      'from a message',
      { messageID: 'm2' },
      ['A'],
      [['A', 'B | C', 'D']],
      [expect.stringMatching(/they were undone: 2$/)],
    ],
    [
      'from a part',
      { messageID: 'm2', partID: 'm2.1' },
      ['A', 'B'],
      [['A', 'B', 'C', 'D']],
      [expect.stringMatching(/undone: 2$/)],
    ],
    ['all', { messageID: 'm1' }, ['A', 'B | C', 'D'], [], [expect.stringContaining('all of its messages were undone')]],
    ['none', { messageID: 'm9' }, ['A', 'B | C', 'D'], [], []],
  ])('has its undone messages beside main: %s', async (_, revert, main, others, warnings) => {
    expect(await read(revert)).toEqual([main, others, warnings]);
  });
});
