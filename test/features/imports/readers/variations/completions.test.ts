/** Variations of conversations of training data, APIs and local models. */
import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../../support/database/database-scope.js';
import { importContent, importedChats, onlyChat } from '../../imported-chats.js';
import { type Case, importLines } from './texts.js';

const database = databaseForEach();

const jsonl = (...values: object[]) => values.map((value) => JSON.stringify(value)).join('\n');

const read = (content: unknown) => importLines(database, content);

describe('ShareGPT', () => {
  const [HUMAN, GPT] = [
    { from: 'human', value: 'Hm?' },
    { from: 'gpt', value: 'Mh.' },
  ];
  it.each([
    ['messages', { messages: [HUMAN, GPT] }],
    ['items', { items: [HUMAN, GPT] }],
    ['dialog', { dialog: [HUMAN, GPT] }],
    [
      'texts as content',
      {
        conversations: [
          { from: 'user', content: 'Hm?' },
          { from: 'bard', content: 'Mh.' },
        ],
      },
    ],
    ['an empty system prompt', { system: '', conversations: [HUMAN, GPT] }],
    ['pairs', { conversation_id: 'x', conversation: [{ human: 'Hm?', assistant: 'Mh.' }] }],
  ])('is read with %s', async (_, conversation) => {
    const READ = ['null; main: 2', '1 < - user: "Hm?"', '2 < 1 assistant: "Mh."'];
    expect(await read(conversation)).toEqual(READ);
  });

  it('does not claim the export of a messenger, whose messages also have a sender', async () => {
    const messages = [{ id: 1, type: 'message', from: 'Ann', from_id: 'user1', text: 'Hi' }];
    const report = await importContent(database, { name: 'Ann', type: 'personal_chat', id: 12, messages });
    expect(report.failures.kept).toEqual([expect.stringContaining('no supported format has the fields')]);
  });

  it('reads calls and results by all their names, also several in one message', async () => {
    const say = (from: string, value: unknown) => ({
      from,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    });
    const one = (name: string) => ({ name, arguments: { n: 1 } });
    const conversations = [
      say('function-call', one('a')),
      say('function-response', '1'),
      say('tool_call', [one('b'), one('c')]),
      say('tool_response', '2'),
      say('observation', '3'),
    ];
    expect((await read({ conversations })).slice(1)).toEqual([
      '1 < - assistant: data-tool-call {"toolCallId":"1","toolName":"a","input":{"n":1}}',
      '2 < 1 assistant: a({"n":1}) = "1"',
      '3 < 2 assistant: data-tool-call {"toolCallId":"3","toolName":"b","input":{"n":1}} | data-tool-call {"toolCallId":"3.1","toolName":"c","input":{"n":1}}',
      '4 < 3 assistant: b({"n":1}) = "2"',
      '5 < 4 assistant: c({"n":1}) = "3"',
    ]);
  });

  it.each([
    ['conversations', (text: string) => ({ id: 0, conversations: [{ from: 'human', value: text }] })],
    ['messages', (text: string) => ({ id: '0', messages: [{ role: 'user', content: text }] })],
  ])('ignores %s as an id, because two data sets may both begin at 0', async (_, set) => {
    await read(set('One'));
    await read(set('Two'));
    await read(set('Two'));
    expect(Object.values(await importedChats(database)).map((chat) => chat.messages.length)).toEqual([1, 1]);
  });
});

describe('chat completions', () => {
  const [Q, A, B] = [
    { role: 'user', content: 'Q' },
    { role: 'assistant', content: 'A' },
    { role: 'assistant', content: 'B' },
  ];

  it.each([
    ['conversations', { conversations: [Q, A] }],
    ['a conversation_id and an id of a model', { conversation_id: 'x', model: 'm', conversation: [Q, A], turn: 1 }],
    ['a prompt and its completion', { prompt: 'Q', completion: 'A' }],
    ['both as messages', { prompt: [Q], completion: [A] }],
    ['requests of a batch', { custom_id: 'x', body: { model: 'm', messages: [Q, A] } }],
    [
      'contents with parts',
      {
        contents: [
          { role: 'user', parts: [{ text: 'Q' }] },
          { role: 'model', parts: [{ text: 'A' }] },
        ],
      },
    ],
  ])('are read with %s', async (_, value) => {
    expect(await read(value)).toEqual(['null; main: 2', '1 < - user: "Q"', '2 < 1 assistant: "A"']);
  });

  it.each([
    ['system', 'Be terse.'],
    ['system', [{ type: 'text', text: 'Be terse.' }]],
    ['system_prompt', 'Be terse.'],
    ['systemInstruction', { parts: [{ text: 'Be terse.' }] }],
    ['instructions', 'Be terse.'],
  ])('begin with the system prompt in %s', async (member, prompt) => {
    const READ = ['null; main: 2', 'system < - system: "Be terse."', '1 < system user: "Q"', '2 < 1 assistant: "A"'];
    expect(await read({ [member]: prompt, messages: [Q, A] })).toEqual(READ);
    expect(await read({ body: { [member]: prompt, messages: [Q, A, B] } })).toContain(READ[1]);
    expect(await read({ [member]: prompt, conversations: [{ from: 'human', value: 'Hm?' }] })).toContain(READ[1]);
  });

  it('begin with their own system prompt rather than one beside them', async () => {
    const own = { role: 'system', content: 'Be kind.' };
    expect(await read({ system: 'Be terse.', messages: [own, Q] })).toEqual([
      'null; main: 2',
      '1 < - system: "Be kind."',
      '2 < 1 user: "Q"',
    ]);
  });

  it.each(['model_a', 'model_b'])('of two models share the question, and the winner %s is active', async (winner) => {
    const row = { question_id: 'q', conversation_a: [Q, A], conversation_b: [Q, B], winner };
    const [won, lost] = winner === 'model_a' ? ['A', 'B'] : ['B', 'A'];
    expect(await read(row)).toEqual([
      'null; main: 2, main-v2: 3',
      '1 < - user: "Q"',
      `2 < 1 assistant: "${won}"`,
      `3 < 1 assistant: "${lost}"`,
    ]);
  });

  it.each([
    ['texts', { prompt: 'Q', rejected: 'B', chosen: 'A' }],
    ['messages', { input: { messages: [Q], tools: [] }, preferred_output: [A], non_preferred_output: [B] }],
  ])('have the preferred answer active, as %s', async (_, value) => {
    expect(await read(value)).toEqual([
      'null; main: 2, main-v2: 3',
      '1 < - user: "Q"',
      '2 < 1 assistant: "A"',
      '3 < 1 assistant: "B"',
    ]);
  });

  it.each<Case>([
    ['a refusal', { content: null, refusal: 'No.' }, '"No."'],
    ['what was spoken', { content: null, audio: { id: 'a', transcript: 'Yes.' } }, '"Yes."'],
    ['thoughts as Ollama names them', { content: 'Yes.', thinking: 'Hm.' }, 'thinks "Hm." | "Yes."'],
    [
      'thoughts as a list',
      { content: 'Yes.', reasoning: null, reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] },
      'thinks "Hm." | "Yes."',
    ],
    [
      'the call of a custom tool',
      { content: null, tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'sh', input: 'ls' } }] },
      'data-tool-call {"toolCallId":"c","toolName":"sh","input":"ls"}',
    ],
    [
      'sound and files',
      {
        content: [
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Text' } },
          { type: 'video', source_type: 'base64', mime_type: 'video/mp4', data: 'AAAA' },
          { type: 'file', file: { file_id: 'f' } },
        ],
      },
      'file audio/mpeg data:audio/mpeg;base64,AAAA | file application/pdf data:application/pdf;base64,AA== | ' +
        'file application/pdf data:application/pdf;base64,AAAA | ' +
        'data-document {"type":"document","source":{"type":"text","media_type":"text/plain","data":"Text"}} | ' +
        'file video/mp4 data:video/mp4;base64,AAAA | ' +
        'data-file {"type":"file","file":{"file_id":"f"}}',
    ],
  ])('have %s', async (_, message, becomes) => {
    expect((await read({ messages: [Q, { role: 'assistant', ...message }] }))[2]).toBe(`2 < 1 assistant: ${becomes}`);
  });

  it('have the calls of 2023 without ids, with their results', async () => {
    const call = (n: number) => ({
      role: 'assistant',
      content: null,
      function_call: { name: 'f', arguments: `{"n":${n}}` },
    });
    const result = (content: string) => ({ role: 'function', name: 'f', content });
    expect((await read({ messages: [call(1), result('one'), call(2), result('two')] })).slice(1)).toEqual([
      '1 < - assistant: data-tool-call {"toolCallId":"1","toolName":"f","input":{"n":1}}',
      '2 < 1 assistant: f({"n":1}) = "one"',
      '3 < 2 assistant: data-tool-call {"toolCallId":"3","toolName":"f","input":{"n":2}}',
      '4 < 3 assistant: f({"n":2}) = "two"',
    ]);
    const [first] = (await onlyChat(database)).messages;
    expect(first?.data.metadata['original']).toEqual({ content: null, function_call: call(1).function_call });
  });
});

describe('llama.cpp', () => {
  it('has attachments, and thoughts by both names', async () => {
    const extra = [
      { type: 'IMAGE', name: 'i.png', base64Url: 'data:image/png;base64,AA==' },
      { type: 'audioFile', name: 's.wav', base64Data: 'AAAA', mimeType: 'audio/wav' },
      { type: 'PDF', name: 'd.pdf', base64Data: 'JVBE', content: 'words' },
      { type: 'TEXT', name: 't.txt', content: 'notes' },
    ];
    const message = (id: string, parent: string | null, role: string, more: object) => {
      return { id, convId: 'c', type: 'text', timestamp: 1784836452433, parent, children: [], role, ...more };
    };
    const messages = [
      message('q', 'a root that is not there', 'user', { content: 'See', extra }),
      message('a', 'q', 'assistant', { content: 'Seen', thinking: 'Hm.', reasoningContent: '' }),
    ];
    expect(await read({ conv: { id: 'c', name: 'T', currNode: 'a' }, messages })).toEqual([
      'T; main: a',
      'q < - user: "See" | file image/png data:image/png;base64,AA== | file audio/wav data:audio/wav;base64,AAAA | ' +
        'file application/pdf data:application/pdf;base64,JVBE | data-extra {"type":"TEXT","name":"t.txt","content":"notes"}',
      'a < q assistant: thinks "Hm." | "Seen"',
    ]);
  });
});

describe('SillyTavern', () => {
  const NEW = { chat_metadata: { integrity: 'i' }, user_name: 'unused', character_name: 'unused' };
  const line = (name: string, mes: unknown, more: object = {}) => {
    return { name, is_user: name === 'Me', is_system: false, send_date: '2025-11-06T18:51:29.000Z', mes, ...more };
  };

  it('has names in its messages if the first line has none', async () => {
    expect(await read(jsonl(NEW, line('Me', 'Hi'), line('Aria', 'Hello')))).toEqual([
      'Aria; main: 2',
      '1 < - user: "Hi"',
      '2 < 1 assistant: "Hello"',
    ]);
    expect((await onlyChat(database)).metadata.import).toMatchObject({ userName: 'Me' });
  });

  it.each([
    ['of a group of before 2025, which has no first line', jsonl(line('Aria', 'Hello'), line('Bob', 'Yo'))],
    ['whose first line contains only metadata', jsonl({ chat_metadata: {} }, line('Aria', 'Hello'), line('Bob', 'Yo'))],
  ])('reads a chat %s', async (_, content) => {
    expect(await read(content)).toEqual(['Aria; main: 2', '1 < - assistant: "Hello"', '2 < 1 assistant: "Yo"']);
  });

  it.each<Case>([
    ['an answer that is hidden', line('Aria', 'Psst', { is_system: true }), 'assistant: "Psst"'],
    ['a narrator', line('Aria', 'Night.', { extra: { type: 'narrator' } }), 'system: "Night."'],
    ['messages of the program', line('SillyTavern System', 'Welcome', { is_system: true }), 'system: "Welcome"'],
    [
      'an image alone',
      line('Aria', '', { extra: { image: 'a.png' } }),
      'assistant: data-file {"type":"image","url":"a.png"}',
    ],
    [
      'media and files',
      line('Me', 'See', {
        extra: { media: [{ url: 'data:image/png;base64,AA==', type: 'image' }], file: { url: '/f' } },
      }),
      'user: "See" | data-file {"url":"/f"} | file image/png data:image/png;base64,AA==',
    ],
    [
      'the call of a tool',
      line('System', '', {
        is_system: true,
        extra: { tool_invocations: [{ id: 't', name: 'dice', parameters: '{"d":6}', result: '4' }] },
      }),
      'assistant: dice({"d":6}) = "4"',
    ],
    ['a message one level deeper', line('Aria', { message: 'Hi' }), 'assistant: "Hi"'],
  ])('has %s', async (_, message, becomes) => {
    expect((await read(jsonl(NEW, message)))[1]).toBe(`1 < - ${becomes}`);
  });

  it.each([
    ['2023-6-9 @4h 5m 6s 78ms', '2023-06-09T04:05:06.078Z'],
    ['2023-12-03@17h01m43s', '2023-12-03T17:01:43.000Z'],
    ['June 9, 2023 12:05am', '2023-06-09T00:05:00.000Z'],
    [1701622843000, '2023-12-03T17:00:43.000Z'],
  ])('has the time %s', async (time, iso) => {
    await read(jsonl(NEW, line('Aria', 'Hi', { send_date: time })));
    expect(new Date((await onlyChat(database)).messages[0]?.createdAt ?? 0).toISOString()).toBe(iso);
  });
});
