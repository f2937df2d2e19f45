/** Blocks and parts of messages of model APIs, the AI SDK and assistant-ui, in formats that can contain any. */
import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { chatLines } from './chat-lines.js';
import { importContent, importedChats, onlyChat } from '../imported-chats.js';

const database = databaseForEach();

type Json = Record<string, unknown>;
const IMAGE = 'data:image/png;base64,AA==';

async function read(content: unknown) {
  const report = await importContent(database, content);
  expect(report.failures.kept).toEqual([]);
  return onlyChat(database);
}

/** The parts of a message with these blocks. */
async function partsOf(...content: unknown[]) {
  const chat = await read({ id: 'c', messages: [{ role: 'assistant', content }] });
  return chat.messages[0]?.data.parts;
}

const ASKED = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Cold?' }] };
const ANSWERED = {
  id: 'a',
  role: 'assistant',
  parts: [
    { type: 'step-start' },
    { type: 'tool-weather', toolCallId: 't1', state: 'output-available', input: { at: 'Bern' }, output: { c: 3 } },
    { type: 'dynamic-tool', toolName: 'dyn', toolCallId: 't2', state: 'output-error', input: {}, errorText: 'boom' },
    { type: 'tool-ask', toolCallId: 't3', state: 'input-available', input: { n: 1 } },
    { type: 'source-document', sourceId: 'd', mediaType: 'application/pdf', title: 'Doc' },
    { type: 'data-chart', id: 'c', data: { v: 1 } },
    { type: 'text', text: 'Cold.', state: 'done' },
  ],
};
const PARTS = [
  { type: 'step-start' },
  {
    ...{ type: 'dynamic-tool', toolName: 'weather', toolCallId: 't1', state: 'output-available' },
    ...{ input: { at: 'Bern' }, output: { c: 3 } },
  },
  { type: 'dynamic-tool', toolName: 'dyn', toolCallId: 't2', state: 'output-error', input: {}, errorText: 'boom' },
  { type: 'data-tool-call', data: { toolCallId: 't3', toolName: 'ask', input: { n: 1 } } },
  { type: 'source-document', sourceId: 'd', mediaType: 'application/pdf', title: 'Doc' },
  { type: 'data-chart', id: 'c', data: { v: 1 } },
  { type: 'text', text: 'Cold.' },
];

describe('messages of the AI SDK', () => {
  const stored = ({ id, ...content }: Json, parent_id: string | null, second: number) => {
    return { id, parent_id, format: 'ai-sdk/v6', content, created_at: `2026-03-01T10:00:0${second}.000Z` };
  };
  const rows = [stored(ASKED, null, 1), stored(ANSWERED, 'q', 2)];

  it.each<[where: string, content: unknown]>([
    ['in an array', [ASKED, ANSWERED]],
    ['a line each', `${JSON.stringify(ASKED)}\n${JSON.stringify(ANSWERED)}\n`],
    ['in a chat', { id: 'chat', messages: [ASKED, ANSWERED] }],
    [
      'in a repository of assistant-ui',
      {
        messages: [
          { parentId: null, message: ASKED },
          { parentId: 'q', message: ANSWERED },
        ],
      },
    ],
    ['in the cloud of assistant-ui, the newest first', { messages: rows.toReversed() }],
    ['in rows of a database', rows],
    ['in rows of a database, the newest first', rows.toReversed()],
  ])('%s keep their parts', async (_, content) => {
    const { messages, branches } = await read(content);
    const parts = Object.fromEntries(messages.map(({ node, name, data }) => [node, [name, data.parts]]));
    expect(Object.values(parts)).toEqual([
      ['user', ASKED.parts],
      ['assistant', PARTS],
    ]);
    expect(Object.values(branches)).toEqual([messages[1]?.node]);
  });

  it('of version 4 have calls among their parts', async () => {
    const toolInvocation = { state: 'result', toolCallId: 't', toolName: 'add', args: { n: 1 }, result: 2 };
    const parts = [
      { type: 'tool-invocation', toolInvocation },
      { type: 'text', text: 'Two.' },
    ];
    expect(chatLines(await read({ messages: [{ id: 'a', role: 'assistant', content: 'Two.', parts }] }))).toEqual([
      'null; main: a',
      'a < - assistant: add({"n":1}) = 2 | "Two."',
    ]);
  });
});

describe('blocks of messages', () => {
  it.each<[what: string, block: Json, mediaType: string]>([
    ['of OpenAI', { type: 'image_url', image_url: { url: IMAGE } }, 'image/png'],
    ['of Anthropic', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }, 'image/png'],
    ['of LangChain', { type: 'image', base64: 'AA==', mime_type: 'image/png' }, 'image/png'],
    [
      'of LangChain before',
      { type: 'image', source_type: 'base64', data: 'AA==', mime_type: 'image/png' },
      'image/png',
    ],
    ['of Gemini', { inlineData: { mimeType: 'image/png', data: 'AA==' } }, 'image/png'],
    ['of assistant-ui', { type: 'file', data: 'AA==', mimeType: 'image/png' }, 'image/png'],
    ['of chat completions', { type: 'file', file: { file_data: IMAGE } }, 'image/png'],
    ['that are sound', { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }, 'audio/wav'],
  ])('%s with a file are files', async (_, block, mediaType) => {
    expect(await partsOf(block)).toEqual([{ type: 'file', mediaType, url: `data:${mediaType};base64,AA==` }]);
  });

  it('with a document of plain text are unchanged', async () => {
    const block = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Words' } };
    expect(await partsOf(block)).toEqual([{ type: 'data-document', data: block }]);
  });

  it('contain a call once if a list of calls also has it', async () => {
    const content = [{ type: 'tool_use', id: 't', name: 'add', input: { n: 1 } }];
    const tool_calls = [
      { id: 't', name: 'add', args: { n: 1 } },
      { id: 'u', name: 'sub', args: {} },
    ];
    const chat = await read({ messages: [{ role: 'assistant', content, tool_calls }] });
    expect(chat.messages[0]?.data.parts.map(({ data }) => data)).toEqual([
      { toolCallId: 't', toolName: 'add', input: { n: 1 } },
      { toolCallId: 'u', toolName: 'sub', input: {} },
    ]);
  });

  it('pair the calls of tools that run with the API with their results', async () => {
    expect(
      await partsOf(
        { type: 'server_tool_use', id: 's', name: 'code_execution', input: { code: '1' } },
        { type: 'bash_code_execution_tool_result', tool_use_id: 's', content: { stdout: '1' } },
      ),
    ).toMatchObject([{ toolName: 'code_execution', state: 'output-available', output: { stdout: '1' } }]);
  });

  it('with only results belong to the assistant, with any role', async () => {
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'add', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: '2' }] },
    ];
    expect(chatLines(await read({ messages })).at(-1)).toBe('2 < 1 assistant: add({}) = "2"');
  });
});

describe('a thread of assistant-ui', () => {
  it('has attachments, errors and custom parts', async () => {
    const attached = (content: Json[]) => ({ type: 'x', name: 'a.png', contentType: 'image/png', content });
    const message = (id: string, role: string, more: Json) => ({ parentId: null, message: { id, role, ...more } });
    const attachments = [attached([{ type: 'image', image: IMAGE }]), attached([])];
    const status = { type: 'incomplete', reason: 'error', error: 'Too many' };
    const data = [{ type: 'data', name: 'chart', data: 1 }];
    const messages = [
      message('a', 'user', { content: [{ type: 'text', text: 'See' }], attachments }),
      message('b', 'assistant', { content: [], status }),
      message('c', 'assistant', { content: data }),
    ];
    expect(chatLines(await read({ headId: 'c', messages })).slice(1)).toEqual([
      `a < - user: "See" | file image/png ${IMAGE} | data-attachment ${JSON.stringify(attachments[1])}`,
      'b < a assistant: data-error "Too many"',
      'c < b assistant: data-chart 1',
    ]);
  });

  it('of LangGraph has its roles and results', async () => {
    const messages = [
      { parentId: null, message: { id: 'a', type: 'human', content: 'Add' } },
      {
        parentId: 'a',
        message: { id: 'b', type: 'ai', content: '', tool_calls: [{ id: 't', name: 'add', args: {} }] },
      },
      { parentId: 'b', message: { id: 'c', type: 'tool', tool_call_id: 't', content: '3' } },
    ];
    expect(chatLines(await read({ headId: 'c', messages })).slice(1)).toEqual([
      'a < - user: "Add"',
      'b < a assistant: data-tool-call {"toolCallId":"t","toolName":"add","input":{}}',
      'c < b assistant: add({}) = "3"',
    ]);
  });
});

describe('messages of LangChain', () => {
  const constructor = (name: string, kwargs: Json) => ({ lc: 1, type: 'constructor', id: ['schema', name], kwargs });
  const calls = [{ id: 't', name: 'add', args: {} }];
  const plain = [
    { type: 'human', content: 'Add', name: 'Ada' },
    { type: 'ai', content: '', tool_calls: calls },
    { type: 'tool', content: '3', tool_call_id: 't' },
  ];
  const written = plain.map(({ type, ...data }) => ({ type, data }));
  const made = [
    constructor('HumanMessage', { content: 'Add' }),
    constructor('AIMessage', { content: '', tool_calls: calls }),
    constructor('ToolMessage', { content: '3', tool_call_id: 't' }),
  ];

  it.each<[where: string, content: unknown]>([
    ['in an array', plain],
    ['in an array, with their data', written],
    ['in an array, as constructor calls', made],
    ['in the result of a graph', { messages: plain }],
    ['in the result of a graph, as constructor calls', { messages: made }],
  ])('%s have their roles and results', async (_, content) => {
    expect(chatLines(await read(content)).slice(1)).toEqual([
      '1 < - user: "Add"',
      '2 < 1 assistant: data-tool-call {"toolCallId":"t","toolName":"add","input":{}}',
      '3 < 2 assistant: add({}) = "3"',
    ]);
  });
});

describe('lines of messages', () => {
  it('of two files without ids are two chats', async () => {
    for (const content of ['One', 'Two']) await importContent(database, [{ type: 'human', data: { content } }]);
    expect(Object.keys(await importedChats(database))).toHaveLength(2);
  });

  it('may have a type member, and other names for the parent and the time', async () => {
    const lines = [
      { id: 'a', type: 'message', name: 'user', content: 'One', created_at: '2026-03-01T10:00:01.000Z' },
      { id: 'b', parent_id: 'a', role: 'assistant', content: 'Yes.' },
      { id: 'c', parent_id: 'a', role: 'assistant', content: 'No.' },
    ];
    expect(chatLines(await read(lines))).toEqual([
      'null; main: c, main-v2: b',
      'a < - user: "One"',
      'b < a assistant: "Yes."',
      'c < a assistant: "No."',
    ]);
    const [chat] = Object.values(await importedChats(database));
    expect(chat?.createdAt).toBe(Date.UTC(2026, 2, 1, 10, 0, 1));
  });
});
