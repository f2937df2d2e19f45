/** Variations of the exports of chat frontends. */
import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../../support/database/database-scope.js';
import { onlyChat } from '../../imported-chats.js';
import { type Case, importLines } from './texts.js';

const database = databaseForEach();

const read = (content: unknown) => importLines(database, content);

describe('LibreChat', () => {
  const ASKED = { messageId: 'q', parentMessageId: null, text: 'Tea?', isCreatedByUser: true };
  const call = (call: object) => ({ content: [{ type: 'tool_call', tool_call: { id: 'c', ...call } }] });
  const page = { title: 'Tea', link: 'https://tea.example/' };

  it.each<Case>([
    ['thoughts with a value', { content: [{ type: 'think', think: { value: 'Green.' } }] }, 'thinks "Green."'],
    [
      'the call of a function with its result',
      call({ type: 'function', function: { name: 'boil', arguments: '{"c":80}', output: 'hot' } }),
      'boil({"c":80}) = "hot"',
    ],
    [
      'code that was run',
      call({ type: 'code_interpreter', code_interpreter: { input: '1+1', outputs: [{ logs: '2' }] } }),
      'code_interpreter("1+1") = [{"logs":"2"}]',
    ],
    ['what went wrong', { content: [{ type: 'error', error: 'No tea.' }] }, '"No tea."'],
    [
      'an image with an address',
      { content: [{ type: 'image_file', image_file: { filepath: 'https://tea.example/a.png' } }] },
      'file image/* https://tea.example/a.png',
    ],
    [
      'an image on its server',
      { content: [{ type: 'image_file', image_file: { filepath: '/images/a.png' } }] },
      'data-image_file {"type":"image_file","image_file":{"filepath":"/images/a.png"}}',
    ],
    [
      'found pages, without citation marks',
      {
        text: '\ue203Hot\ue204\ue202turn0search0, \\ue202turn0news1or cold.',
        attachments: [{ type: 'web_search', web_search: { organic: [page, page], topStories: [] } }],
      },
      '"Hot, or cold." | source https://tea.example/',
    ],
    ['lines that a person quotes', { text: 'This?', quotes: ['Hot.'] }, '"This?" | data-quotes ["Hot."]'],
  ])('has %s', async (_, message, becomes) => {
    const answer = { messageId: 'a', parentMessageId: 'q', text: '', isCreatedByUser: false, ...message };
    expect(await read({ conversationId: 'l', title: 'T', messages: [ASKED, answer] })).toEqual([
      'T; main: a',
      'q < - user: "Tea?"',
      `a < q assistant: ${becomes}`,
    ]);
  });
});

describe('Open WebUI', () => {
  const details = (attributes: string, body: string) => `<details ${attributes}>\n${body}\n</details>\n`;
  const chat = (answer: object, question: object = {}) => ({
    id: 'o',
    title: 'T',
    chat: {
      models: ['m'],
      history: {
        messages: {
          q: { id: 'q', parentId: null, childrenIds: ['a'], role: 'user', content: 'Rain?', ...question },
          gone: null,
          a: { id: 'a', parentId: 'q', childrenIds: [], role: 'assistant', content: '', ...answer },
        },
        currentId: 'a',
      },
    },
  });

  it.each<[what: string, content: string, becomes: string]>([
    [
      'a call in the text, with its result beside it',
      details(
        'type="tool_calls" done="true" id="c" name="rain" arguments="&quot;{\\&quot;at\\&quot;: \\&quot;O&#x27;Hare\\&quot;}&quot;" result="&quot;wet&quot;" files=""',
        '<summary>Tool Executed</summary>',
      ),
      'rain({"at":"O\'Hare"}) = "wet"',
    ],
    [
      'a call in the text, with its result in it',
      details(
        'type="tool_calls" done="true" id="c" name="rain" arguments="{}"',
        '<summary>Tool Executed</summary>\n```json\n{&quot;mm&quot;: 3}\n```',
      ),
      'rain({}) = "```json\\n{\\"mm\\": 3}\\n```"',
    ],
    [
      'a call in the text that waits',
      details('type="tool_calls" done="false" id="c" name="rain" arguments="{}"', '<summary>Executing...</summary>'),
      'data-tool-call {"toolCallId":"c","toolName":"rain","input":{}}',
    ],
    [
      'code in the text that was run',
      `So:\n${details('type="code_interpreter" done="true" output="{&quot;stdout&quot;: &quot;2&quot;}"', '<summary>Analyzed</summary>\n```python\n1+1\n```')}Two.`,
      '"So:" | code_interpreter({"code":"1+1"}) = {"stdout":"2"} | "Two."',
    ],
    [
      'escaped thoughts in the text',
      details('type="reasoning" done="true"', '<summary>Thought</summary>\n&gt; a &lt; b &amp;amp;\n&gt; so'),
      'thinks "a < b &amp;\\nso"',
    ],
    [
      'shown markup, and unknown markup',
      `\`\`\`html\n${details('type="tool_calls" name="x"', '')}\`\`\`\n${details('', 'Spoiler')}`,
      JSON.stringify(`\`\`\`html\n${details('type="tool_calls" name="x"', '')}\`\`\`\n${details('', 'Spoiler')}`),
    ],
  ])('has %s', async (_, content, becomes) => {
    const lines = await read(chat({ content }));
    expect(lines).toEqual(['T; main: a', 'q < - user: "Rain?"', `a < q assistant: ${becomes}`]);
  });

  it.each<Case>([
    ['an answer that failed', { error: { content: 'Overloaded' } }, '"Overloaded"'],
    ['an answer that failed without a word', { error: true }, 'data-error true'],
    ['the answers of two models as one', { content: 'Yes.', merged: { content: 'Maybe.' } }, '"Yes." | "Maybe."'],
    [
      'items without a message, and an answer beside them',
      { content: 'Wet.', output: [{ type: 'function_call_output', call_id: 'c', output: '3' }] },
      'tool({}) = "3" | "Wet."',
    ],
    [
      'code that was run, and an image that was made, among the items',
      {
        output: [
          { type: 'open_webui:code_interpreter', id: 'c', code: '1+1', output: { stdout: '2' } },
          { type: 'image_generation_call', id: 'i', result: 'iVBORw0K', output_format: 'png' },
        ],
      },
      'code_interpreter({"code":"1+1"}) = {"stdout":"2"} | file image/png data:image/png;base64,iVBORw0K',
    ],
  ])('has %s', async (_, answer, becomes) => {
    expect((await read(chat(answer)))[2]).toBe(`a < q assistant: ${becomes}`);
  });

  it('has the pages that a search has found, and omits the search', async () => {
    const metadata = [
      { source: 'https://a.example/', url: 'https://a.example/', name: 'Page A' },
      { source: 'https://b.example/', title: 'Page B' },
    ];
    await read(chat({ content: 'Yes.', sources: [{ source: { name: 'search_web' }, metadata }] }));
    const [, { data } = { data: null }] = (await onlyChat(database)).messages;
    expect(data?.parts.slice(1)).toMatchObject([
      { url: 'https://a.example/', title: 'Page A' },
      { url: 'https://b.example/', title: 'Page B' },
    ]);
  });

  it('assigns an id to each call in the text without one', async () => {
    await read(
      chat({ content: details('type="tool_calls" name="a"', '1') + details('type="tool_calls" name="b"', '2') }),
    );
    const ids = (await onlyChat(database)).messages[1]?.data.parts.map(
      (part) => 'toolCallId' in part && part.toolCallId,
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('keeps the text of users unchanged', async () => {
    const content = details('type="reasoning" done="true"', 'What is this?');
    expect((await read(chat({ content: '?' }, { content })))[1]).toBe(`q < - user: ${JSON.stringify(content)}`);
  });

  it.each([
    ['no history', {}],
    ['a history without messages', { history: { messages: {}, currentId: 'a' } }],
  ])('has chats with %s, whose messages follow each other', async (_, more) => {
    const messages = [
      { id: 'q', role: 'user', content: 'Rain?', timestamp: 1700000000 },
      { id: 'a', role: 'assistant', content: 'Wet.' },
    ];
    expect(await read([{ id: 'o', title: 'T', chat: { messages, ...more } }])).toEqual([
      'T; main: a',
      'q < - user: "Rain?"',
      'a < q assistant: "Wet."',
    ]);
  });

  it('is read in linear time with any markup', async () => {
    const hostile = ['<details ', '<details>', '<details type="reasoning">', `<details ${'a'.repeat(900_000)}>`];
    for (const text of hostile) await read(chat({ content: text.repeat(Math.ceil(900_000 / text.length)) }));
  });
});

describe('Chatbot UI', () => {
  const messages = [
    { role: 'user', content: 'Hm?' },
    { role: 'assistant', content: 'Mh.' },
  ];
  const READ = ['T; main: 2', '1 < - user: "Hm?"', '2 < 1 assistant: "Mh."'];

  it.each([
    [
      'version 1, in which a chat may be empty',
      [
        { id: 1, name: 'T', messages },
        { id: 2, name: 'New', messages: [] },
      ],
    ],
    ['version 2', { history: [{ id: 1, name: 'T', messages }], folders: [] }],
    ['version 3', { version: 3, history: [{ id: 'a', name: 'T', messages, folderId: null }], folders: [] }],
    ['a fork that leaves folders out', { version: 4, history: [{ id: 'a', name: 'T', messages }] }],
  ])('is read: %s', async (_, content) => {
    expect((await read(content)).slice(0, 3)).toEqual(READ);
  });

  it('is read from browser storage, which its successor exports', async () => {
    const history = [{ id: 'a', name: 'T', messages, folderId: 'f' }];
    const folders = JSON.stringify([{ id: 'f', name: 'Work', type: 'chat' }]);
    const kept = { apiKey: '', folders, conversationHistory: JSON.stringify(history), selectedConversation: '{}' };
    expect(await read(kept)).toEqual(READ);
    expect((await onlyChat(database)).metadata.import).toMatchObject({ folder: 'Work' });
  });
});
