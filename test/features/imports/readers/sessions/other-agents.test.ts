/** Sessions of pi, Claude Code, LangGraph, opencode and Copilot Chat. */
import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../../support/database/database-scope.js';
import { chatLines } from '../chat-lines.js';
import { importContent, importedChats, onlyChat } from '../../imported-chats.js';
import { type Json, lines, at } from './session-lines.js';

const database = databaseForEach();

async function read(content: unknown) {
  const report = await importContent(database, content);
  expect(report.failures.kept).toEqual([]);
  return onlyChat(database);
}

const readLines = async (...values: unknown[]) => chatLines(await read(lines(...values)));

describe('a session of pi', () => {
  it('has commands of the user, messages of extensions, failures and summaries', async () => {
    let last: string | null = null;
    const entry = (type: string, id: string, more: Json) => {
      const value = { type, id, parentId: last, timestamp: at(1), ...more };
      last = id;
      return value;
    };
    const said = (id: string, message: Json) => entry('message', id, { message });
    expect(
      await readLines(
        { type: 'session', version: 3, id: 'p', timestamp: at(0), cwd: '/work' },
        said('a', { role: 'bashExecution', command: 'ls', output: 'no', exitCode: 2 }),
        said('b', { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'overloaded' }),
        entry('custom_message', 'c', { customType: 'x', content: 'Mind the gap', display: false }),
        entry('compaction', 'd', { summary: 'So far.', tokensBefore: 5 }),
        said('e', { role: 'branchSummary', summary: 'It was worse.', fromId: 'a' }),
        said('f', { role: 'hookMessage', customType: 'x', content: 'Mind it', display: true }),
      ),
    ).toEqual([
      'null; main: f',
      'a < - user: "$ ls\\nno\\nexit code 2"',
      'b < a assistant: data-error "overloaded"',
      'c < b user: "Mind the gap"',
      'd < c assistant: "So far."',
      'e < d assistant: "It was worse."',
      'f < e user: "Mind it"',
    ]);
    expect((await onlyChat(database)).messages[2]?.data.metadata).toMatchObject({ hidden: true });
  });
});

describe('a session of Claude Code', () => {
  const said = (uuid: string, parentUuid: string | null, text: string, more: Json = {}) => ({
    ...{ parentUuid, isSidechain: false, sessionId: 's', type: 'user', uuid, timestamp: at(1) },
    message: { role: 'user', content: text },
    ...more,
  });

  it('of a subagent is a separate chat', async () => {
    await importContent(database, lines(said('a', null, 'One')));
    await importContent(database, lines(said('b', null, 'A task', { isSidechain: true, agentId: 'g' })));
    expect(Object.keys(await importedChats(database)).sort()).toEqual(['s', 's/g']);
  });

  it('that is resumed under another id, with repeated lines, continues the same chat', async () => {
    await importContent(database, lines(said('a', null, 'One')));
    expect(await readLines(said('a', null, 'One'), said('b', 'a', 'Two', { sessionId: 's2' }))).toEqual([
      'null; main: b',
      'a < - user: "One"',
      'b < a user: "Two"',
    ]);
  });

  it('has the title of the user, or a summary of one of its messages', async () => {
    const summary = { type: 'summary', summary: 'Summed', leafUuid: 'a' };
    const other = { type: 'summary', summary: 'Another', leafUuid: 'x' };
    expect((await readLines(summary, other, said('a', null, 'One')))[0]).toBe('Summed; main: a');
    const given = { type: 'custom-title', customTitle: 'Given', sessionId: 's' };
    const made = { type: 'ai-title', aiTitle: 'Made', sessionId: 's' };
    await importContent(database, lines(summary, said('a', null, 'One'), said('b', 'a', 'Two'), given, made));
    expect((await onlyChat(database)).title).toBe('Given');
  });

  it('has messages that were queued during an answer, and hides other attachments', async () => {
    const attached = (uuid: string, parentUuid: string, attachment: Json) => ({
      ...{ type: 'attachment', uuid, parentUuid, sessionId: 's', attachment },
    });
    const readMessages = await readLines(
      said('a', null, 'One'),
      attached('b', 'a', { type: 'queued_command', prompt: 'And two' }),
      attached('c', 'b', { type: 'todo_reminder' }),
    );
    expect(readMessages.slice(2)).toEqual([
      'b < a user: "And two"',
      'c < b user: data-attachment {"type":"todo_reminder"}',
    ]);
    const hidden = (await onlyChat(database)).messages.map(({ data }) => data.metadata['hidden']);
    expect(hidden).toEqual([undefined, undefined, true]);
  });

  it('in the format for programs has no links: each line follows the previous one', async () => {
    const message = (uuid: string, role: string, content: unknown) => ({
      ...{ type: role, message: { role, content }, session_id: 's', parent_tool_use_id: null, uuid },
    });
    expect(
      await readLines(
        { type: 'system', subtype: 'init', session_id: 's', uuid: 'i' },
        message('a', 'user', 'One'),
        message('b', 'assistant', [{ type: 'tool_use', id: 't', name: 'ls', input: {} }]),
        message('c', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'a.txt' }]),
        message('d', 'assistant', [{ type: 'text', text: 'Yes.' }]),
        { type: 'result', subtype: 'success', session_id: 's', uuid: 'r' },
      ),
    ).toEqual(['null; main: d', 'a < - user: "One"', 'b < a assistant: ls({}) = "a.txt"', 'd < b assistant: "Yes."']);
  });

  it('without messages is omitted', async () => {
    const report = await importContent(database, { type: 'summary', summary: 'Another', leafUuid: 'x' });
    expect(report.failures.kept).toEqual([expect.stringContaining('it contains sessions without messages')]);
  });
});

describe('a thread of LangGraph', () => {
  const human = { type: 'human', id: 'h', content: 'Add' };
  const call = { id: 'c', name: 'add', args: { n: 1 } };
  const calling = {
    ...{ type: 'ai', id: 'a', tool_calls: [{ ...call, type: 'tool_call' }] },
    content: [
      { type: 'text', text: 'Well.' },
      { type: 'tool_use', id: 'c', name: 'add', input: { n: 1 } },
    ],
  };
  const config = { configurable: { thread_id: 't', checkpoint_id: 'k' } };
  const expected = [
    'null; main: a',
    'h < - user: "Add"',
    'a < h assistant: "Well." | data-tool-call {"toolCallId":"c","toolName":"add","input":{"n":1}}',
  ];

  it.each<[what: string, states: unknown]>([
    [
      'states of JavaScript',
      [
        { values: { messages: [human, calling] }, config, createdAt: at(2), parentConfig: config },
        { values: { messages: [human] }, config, createdAt: at(1) },
      ],
    ],
    [
      'states of Python, as tuples',
      [
        [{ messages: [human, calling] }, [], config, { step: 1 }, at(2), config, [], []],
        [{ messages: [human] }, ['agent'], config, { step: 0 }, at(1), null, []],
      ],
    ],
    [
      'saved checkpoints',
      [
        { config, checkpoint: { ts: at(2), channel_values: { messages: [human, calling] } }, parent_config: config },
        { config, checkpoint: { ts: at(1), channel_values: { messages: [human] } }, parent_config: null },
      ],
    ],
    [
      'states without values, and messages under another name',
      [
        { values: { n: [1], chat: [human, calling] }, checkpoint: { thread_id: 't' }, created_at: at(2) },
        { values: [human], checkpoint: { thread_id: 't' }, created_at: at(1) },
        { values: null, checkpoint: { thread_id: 't' }, created_at: at(0) },
      ],
    ],
  ])('is read from %s', async (_, states) => {
    const chat = await read(states);
    expect(chatLines(chat)).toEqual(expected);
    expect(chat.messages.map(({ createdAt }) => new Date(createdAt).toISOString())).toEqual([at(1), at(2)]);
    expect(chat.metadata.import['original']).not.toHaveProperty('values.chat');
  });

  it('is read from a response of the API', async () => {
    const thread = { thread_id: 't', created_at: at(1), updated_at: at(2), values: { messages: [human, calling] } };
    expect(chatLines(await read(thread))).toEqual(expected);
  });

  it('has calls and thoughts in the format of the provider, and custom roles', async () => {
    const additional_kwargs = {
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{"n":1}' } }],
      reasoning_content: 'Hm.',
    };
    const messages = [
      { type: 'chat', role: 'user', id: 'h', content: 'Add' },
      { type: 'ai', id: 'a', content: '', tool_calls: [], additional_kwargs },
      { type: 'tool', id: 't', content: 'no', tool_call_id: 'c', status: 'error' },
    ];
    expect(chatLines(await read({ values: { messages }, config }))).toEqual([
      'null; main: t',
      'h < - user: "Add"',
      'a < h assistant: thinks "Hm." | data-tool-call {"toolCallId":"c","toolName":"add","input":{"n":1}}',
      't < a assistant: add({"n":1}) = {"error":"no"}',
    ]);
  });
});

describe('a session of opencode', () => {
  it('has attachments of tools, and the reason of an empty message', async () => {
    const attachments = [{ type: 'file', mime: 'image/png', url: 'data:image/png;base64,AA==' }];
    const state = { status: 'completed', input: {}, output: 'a.txt', attachments };
    const error = { name: 'MessageAbortedError', data: { message: 'Aborted' } };
    const messages = [
      { info: { id: 'a', role: 'assistant' }, parts: [{ type: 'tool', callID: 'c', tool: 'read', state }] },
      { info: { id: 'b', role: 'assistant', error }, parts: [] },
    ];
    expect(chatLines(await read({ info: { id: 's', projectID: 'p' }, messages }))).toEqual([
      'null; main: b',
      'a < - assistant: read({}) = "a.txt" | file image/png data:image/png;base64,AA==',
      'b < a assistant: data-error {"name":"MessageAbortedError","data":{"message":"Aborted"}}',
    ]);
  });
});

describe('the log of a session of Copilot Chat', () => {
  const request = (text: string) => ({ requestId: text, message: { text }, response: [{ value: `${text}!` }] });
  const state = { kind: 0, v: { sessionId: 'log', requests: [request('a'), request('b')] } };

  it('replaces the rest of a list from an index, and properties', async () => {
    const pushed = { kind: 2, k: ['requests'], v: [request('c')], i: 1 };
    const set = { kind: 1, k: ['requests', 1, 'response', 0, 'value'], v: 'C' };
    expect((await readLines(state, pushed, set)).slice(1)).toEqual([
      'a < - user: "a"',
      'a-response < a assistant: "a!"',
      'c < a-response user: "c"',
      'c-response < c assistant: "C"',
    ]);
  });

  it.each([
    ['an index far behind the end', { kind: 1, k: ['requests', 1e9], v: {} }],
    ['a missing object', { kind: 2, k: ['pending', 'list'], v: [1] }],
    ['an inherited member', { kind: 1, k: ['__proto__', 'polluted'], v: 1 }],
    ['the constructor', { kind: 1, k: ['constructor'], v: 1 }],
    ['nothing', { kind: 3, k: [] }],
  ])('is refused when a line changes %s', async (_, line) => {
    const report = await importContent(database, lines(state, line));
    expect(report.failures.kept).toEqual(['line 1: a line changes a missing value']);
    expect('polluted' in {}).toBe(false);
  });
});
