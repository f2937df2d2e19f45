/** Sessions of Codex and Gemini CLI. */
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

describe('a session of Codex', () => {
  const line = (type: string, second: number, payload: Json) => ({ timestamp: at(second), type, payload });
  const meta = (second: number, id: string, begun: number, more: Json = {}) =>
    line('session_meta', second, { id, timestamp: at(begun), ...more });
  const said = (second: number, role: string, text: string) =>
    line('response_item', second, { type: 'message', role, content: [{ type: 'text', text }] });
  const item = (second: number, payload: Json) => line('response_item', second, payload);

  it('that continues another is a separate chat, with the shared beginning', async () => {
    for (const more of [{ forked_from_id: 'old' }, {}]) {
      await importContent(
        database,
        lines(
          meta(9, 'new', 9, more),
          meta(9, 'old', 1),
          said(9, 'user', 'Before'),
          meta(9, 'old', 1),
          said(10, 'user', 'Now'),
        ),
      );
      expect(chatLines(await onlyChat(database))).toEqual([
        'null; main: item-2',
        'item-1 < - user: "Before"',
        'item-2 < item-1 user: "Now"',
      ]);
    }
  });

  it('after another one in the same file is a separate chat', async () => {
    await importContent(database, lines(meta(1, 'a', 1), said(1, 'user', 'A'), meta(5, 'b', 5), said(5, 'user', 'B')));
    await importContent(database, lines(meta(5, 'd', 5), said(5, 'user', 'D'), meta(1, 'c', 1), said(1, 'user', 'C')));
    const chats = await importedChats(database);
    expect(Object.values(chats).map(({ messages }) => messages.length)).toEqual([1, 1, 1, 1]);
  });

  it('may have unknown kinds of lines', async () => {
    expect(
      await readLines(
        meta(1, 'a', 1),
        line('world_state', 1, {}),
        line('turn_context', 1, { model: 'm' }),
        said(2, 'user', 'A'),
      ),
    ).toEqual(['null; main: item-1', 'item-1 < - user: "A"']);
    expect((await onlyChat(database)).metadata.import).toMatchObject({ model: 'm' });
  });

  it('forks at turns that were rolled back', async () => {
    expect(
      await readLines(
        meta(1, 'a', 1),
        said(1, 'user', '<environment_context>x</environment_context>'),
        said(1, 'user', 'One'),
        said(2, 'assistant', 'Yes.'),
        said(3, 'user', 'Two'),
        said(4, 'assistant', 'No.'),
        said(5, 'user', 'Three'),
        line('event_msg', 6, { type: 'thread_rolled_back', num_turns: 2 }),
        said(7, 'user', 'Four'),
      ),
    ).toEqual([
      'null; main: item-7, main-v2: item-6',
      'item-1 < - user: "<environment_context>x</environment_context>"',
      'item-2 < item-1 user: "One"',
      'item-3 < item-2 assistant: "Yes."',
      'item-4 < item-3 user: "Two"',
      'item-5 < item-4 assistant: "No."',
      'item-6 < item-5 user: "Three"',
      'item-7 < item-3 user: "Four"',
    ]);
  });

  it('has calls of all kinds, and summaries', async () => {
    const [, ...messages] = await readLines(
      meta(1, 'a', 1),
      item(1, {
        type: 'local_shell_call',
        call_id: 'k',
        status: 'completed',
        action: { type: 'exec', command: ['ls'] },
      }),
      item(1, { type: 'function_call_output', call_id: 'k', output: 'a.txt' }),
      item(1, { type: 'web_search_call', id: 'w', action: { type: 'search', query: 'wren' } }),
      item(1, { type: 'tool_search_call', call_id: 's', arguments: {} }),
      item(1, { type: 'tool_search_output', call_id: 's', tools: ['x'] }),
      item(1, { type: 'image_generation_call', id: 'i', revised_prompt: 'A wren', result: 'AA==' }),
      item(1, { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }),
      line('compacted', 1, { message: 'So far.', replacement_history: [] }),
    );
    expect(messages.map((message) => message.replace(/^.*?: /, ''))).toEqual([
      'data-tool-call {"toolCallId":"k","toolName":"local_shell","input":{"type":"exec","command":["ls"]}}',
      'local_shell({"type":"exec","command":["ls"]}) = "a.txt"',
      'data-tool-call {"toolCallId":"w","toolName":"web_search","input":{"type":"search","query":"wren"}}',
      'data-tool-call {"toolCallId":"s","toolName":"tool_search","input":{}}',
      'tool_search({}) = ["x"]',
      'file image/png data:image/png;base64,AA==',
      'thinks "Hm."',
      '"So far."',
    ]);
  });

  it('with events only is read from them', async () => {
    expect(
      await readLines(
        line('session_meta', 1, { session_id: 'a' }),
        line('event_msg', 1, { type: 'user_message', message: 'One' }),
        line('event_msg', 2, { type: 'agent_reasoning', text: 'Hm.' }),
        line('event_msg', 2, { type: 'agent_message', message: 'Yes.' }),
      ),
    ).toEqual([
      'null; main: item-3',
      'item-1 < - user: "One"',
      'item-2 < item-1 assistant: thinks "Hm."',
      'item-3 < item-2 assistant: "Yes."',
    ]);
  });

  it('of its first versions has calls without names', async () => {
    expect(
      await readLines(
        { id: 'old', timestamp: at(1), instructions: null },
        { record_type: 'state' },
        { type: 'web_search_call', action: { type: 'search', query: 'wren' } },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] },
      ),
    ).toHaveLength(3);
  });
});

describe('a session of Gemini CLI', () => {
  const session = { sessionId: 'g', projectHash: 'h', startTime: at(0) };
  const said = (id: string, type: string, content: unknown, more: Json = {}) => ({
    id,
    timestamp: at(1),
    type,
    content,
    ...more,
  });

  it('may have messages that later lines replace', async () => {
    const call = { id: 't', name: 'ls', args: { at: '.' }, status: 'success', result: 'long' };
    expect(
      await readLines(
        session,
        said('a', 'user', 'One'),
        said('b', 'gemini', 'Yes.', { toolCalls: [call] }),
        { $set: { messages: [said('s', 'user', 'So far'), said('b', 'gemini', 'Yes!', { toolCalls: [call] })] } },
        { $patch: { id: 'b', toolCalls: [{ id: 't', result: 'short' }] } },
        said('c', 'user', 'Two'),
      ),
    ).toEqual([
      'null; main: c, main-v2: s',
      'a < - user: "One"',
      'b < a assistant: "Yes!" | ls({"at":"."}) = "short"',
      'c < b user: "Two"',
      's < - user: "So far"',
    ]);
  });

  it('has the errors of tools, and attachments', async () => {
    const answer = (response: Json) => [{ functionResponse: { id: 't', name: 'ls', response } }];
    const call = (id: string, more: Json) => ({ id, name: 'ls', args: {}, ...more });
    const toolCalls = [
      call('t1', { status: 'error', result: answer({ error: 'no such file' }) }),
      call('t2', { status: 'cancelled', result: answer({ error: 'cancelled' }) }),
      call('t3', { status: 'success', result: [], resultDisplay: 'a.txt' }),
    ];
    const messages = [
      said('a', 'user', [{ text: 'See' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }]),
      said('b', 'gemini', [{ functionCall: { name: 'f', args: { n: 1 } } }], { toolCalls }),
    ];
    expect(chatLines(await read({ ...session, messages })).slice(1)).toEqual([
      'a < - user: "See" | file image/png data:image/png;base64,AA==',
      'b < a assistant: data-tool-call {"toolCallId":"f","toolName":"f","input":{"n":1}} | ls({}) = {"error":"no such file"} | ls({}) = {"error":"cancelled"} | ls({}) = "a.txt"',
    ]);
  });

  it('as a checkpoint is a list of model messages, bare or in an object', async () => {
    const contents = [
      { role: 'user', parts: [{ text: 'List' }] },
      {
        role: 'model',
        parts: [{ thought: true, text: 'Use ls' }, { functionCall: { id: 'c', name: 'ls', args: {} } }],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'c', name: 'ls', response: { output: 'a.txt' } } }] },
    ];
    const expected = [
      'null; main: 3',
      '1 < - user: "List"',
      '2 < 1 assistant: thinks "Use ls" | data-tool-call {"toolCallId":"c","toolName":"ls","input":{}}',
      '3 < 2 assistant: ls({}) = "a.txt"',
    ];
    expect(chatLines(await read(contents))).toEqual(expected);
    await importContent(database, { history: contents, authType: 'oauth' });
    expect(Object.values(await importedChats(database)).map(chatLines)).toEqual([expected, expected]);
  });
});
