/** Lines without links, in another order, or of several sessions in turn; and system prompts beside them. */
import { expect, it } from 'vitest';
import { readTrees } from '../read-trees.js';
import { at, lines } from './session-lines.js';

it('a line of Qwen Code without a parent follows the line before it', async () => {
  const said = (uuid: string, type: string, text: string) => ({
    ...{ uuid, type, sessionId: 'q' },
    message: { role: type, parts: [{ text }] },
  });
  const { trees } = await readTrees(
    lines({ ...said('a', 'user', 'One?'), parentUuid: null }, said('b', 'model', 'Two'), {
      ...said('c', 'user', 'Three?'),
      parentUuid: 'b',
    }),
  );
  expect(trees.map(({ source, main }) => [source, main])).toEqual([['qwen-code', ['One?', 'Two', 'Three?']]]);
});

it('lines of llama.cpp belong to the conversation that they name, in any order', async () => {
  const session = (id: string) => ({
    type: 'session',
    harness: 'llama.app',
    id,
    name: id.toUpperCase(),
    currNode: `${id}2`,
  });
  const said = (convId: string, id: string, parent: string | null, role: string, content: string) => ({
    type: 'message',
    message: { id: convId + id, convId, parent: parent && convId + parent, children: [], type: 'text', role, content },
  });
  const { trees, failures } = await readTrees(
    lines(
      said('b', '1', null, 'user', 'Pears?'),
      session('a'),
      said('a', '1', null, 'user', 'Apples?'),
      session('b'),
      said('b', '2', '1', 'assistant', 'Green'),
      said('a', '2', '1', 'assistant', 'Red'),
      said('c', '1', null, 'user', 'Plums?'),
    ),
  );
  expect(failures).toEqual([]);
  expect(trees.map(({ id, title, main }) => [id, title, main]).sort()).toEqual([
    ['a', 'A', ['Apples?', 'Red']],
    ['b', 'B', ['Pears?', 'Green']],
    ['c', null, ['Plums?']],
  ]);
});

it('rows without parents, the newest first, begin with the oldest', async () => {
  const row = (n: number, role: string, content: string) => ({ thread_id: 't', role, content, created_at: at(n) });
  const rows = [
    row(3, 'assistant', 'Four'),
    row(3, 'user', 'Oaks?'),
    row(2, 'assistant', 'Nine'),
    row(1, 'user', 'Birches?'),
  ];
  const { trees } = await readTrees(rows);
  expect(trees.map(({ main }) => main)).toEqual([['Birches?', 'Nine', 'Oaks?', 'Four']]);
  const equal = await readTrees(rows.toReversed().map((each) => ({ ...each, created_at: at(1) })));
  expect(equal.trees.map(({ main }) => main)).toEqual([['Birches?', 'Nine', 'Oaks?', 'Four']]);
});

const message = (id: string, sessionId: string) => ({ id, role: 'user', content: 'Birches?', sessionId });

it.each<[where: string, file: unknown]>([
  [
    'the agent of LobeHub',
    {
      schemaHash: 'a',
      data: {
        agents: [{ id: 'agent', systemRole: 'You count.' }],
        agentsToSessions: [{ agentId: 'agent', sessionId: 's' }],
        topics: [{ id: 't', sessionId: 's' }],
        messages: [{ ...message('1', 's'), topicId: 't' }],
      },
    },
  ],
  [
    'the session of LobeChat',
    {
      exportType: 'all',
      state: { sessions: [{ id: 's', config: { systemRole: 'You count.' } }], messages: [message('1', 's')] },
    },
  ],
  [
    'a conversation of HuggingChat',
    { _id: 'h', preprompt: 'You count.', messages: [{ from: 'user', content: 'Birches?' }] },
  ],
  [
    'the first message of opencode',
    {
      info: { id: 's' },
      messages: [
        { info: { id: '1', role: 'user', system: 'You count.' }, parts: [{ type: 'text', text: 'Birches?' }] },
      ],
    },
  ],
  [
    'the base instructions of Codex',
    lines(
      { type: 'session_meta', timestamp: at(1), payload: { id: 'c', base_instructions: { text: 'You count.' } } },
      {
        ...{ type: 'response_item', timestamp: at(2) },
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Birches?' }] },
      },
    ),
  ],
])('the system prompt of %s is the first message', async (_where, file) => {
  const { trees } = await readTrees(file);
  expect(trees.map(({ main }) => main)).toEqual([['You count.', 'Birches?']]);
});

it('another session of Kimi CLI in a file begins another chat', async () => {
  const session = (question: string, ...first: object[]) => [
    ...first,
    { role: '_checkpoint', id: 0 },
    { role: 'user', content: question },
    { role: '_usage', token_count: 1 },
    { role: '_checkpoint', id: 1 },
    { role: 'assistant', content: `${question} Nine.` },
  ];
  const prompt = { role: '_system_prompt', content: 'You count.' };
  for (const first of [[], [prompt]]) {
    const { trees } = await readTrees(lines(...session('Birches?', ...first), ...session('Oaks?', ...first)));
    const above = first.map(({ content }) => content);
    expect(trees.map(({ main }) => main)).toEqual([
      [...above, 'Birches?', 'Birches? Nine.'],
      [...above, 'Oaks?', 'Oaks? Nine.'],
    ]);
  }
});

it('a question of Gemini CLI with the id of another one does not replace it', async () => {
  const session = { sessionId: 'g', projectHash: 'h' };
  const said = (id: string, type: string, content: string) => ({ id, type, content });
  const messages = [
    said('1', 'user', 'Birches?'),
    said('2', 'gemini', 'Nine'),
    said('1', 'user', 'Oaks?'),
    said('3', 'gemini', 'Four'),
  ];
  const whole = await readTrees({ ...session, messages });
  expect(whole.trees.map(({ main }) => main)).toEqual([['Birches?', 'Nine', 'Oaks?', 'Four']]);
  const log = await readTrees(lines(session, ...messages));
  expect(log.trees.map(({ main, others }) => [main, others])).toEqual([[['Oaks?', 'Four'], [['Birches?', 'Nine']]]]);
  for (const { warnings } of [whole, log])
    expect(warnings.join()).toContain('1 of its messages have the id of another one');
});

it('requests of Copilot Chat that an undo took back are beside main, and counted', async () => {
  const asked = (text: string, more: object = {}) => ({
    ...{ requestId: text, message: { text, parts: [] }, response: [{ value: `${text} Nine.` }] },
    ...more,
  });
  const requests = [asked('Birches?'), asked('Oaks?', { shouldBeRemovedOnSend: { requestId: 'Oaks?' } })];
  const { trees, warnings } = await readTrees({ sessionId: 's', requests });
  expect(trees.map(({ main, others }) => [main, others.length])).toEqual([[['Birches?', 'Birches? Nine.'], 1]]);
  expect(warnings).toEqual([expect.stringContaining('messages beside main, because they were undone: 2')]);
});
