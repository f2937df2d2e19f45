/** What exports of hosted chats hold beside the shapes of the samples. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConversations } from '@parley/interchange';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';
import { chatLines } from './chat-lines.js';
import { importContent, importedChats, type ImportedChat } from '../imported-chats.js';
import { writeZip } from '../zips/write-zip.js';

let database: TemporaryDatabase;
beforeEach(async () => {
  database = await temporaryDatabase();
});
afterEach(() => database.remove());

/** The lines of each chat after its title, when everything was read without a fault. */
async function imported(content: unknown): Promise<string[][]> {
  const report = await importContent(database, content);
  expect(report.failures.kept).toEqual([]);
  const chats = Object.values(await importedChats(database));
  return chats.map(chatLines).sort((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1));
}

const at = (second: number) => `2026-04-24T07:27:${String(second).padStart(2, '0')}Z`;

describe('where no export names the active leaf, it is the newest one', () => {
  const spoken: [id: string, parent: string | null, sender: string, text: string][] = [
    ['q', null, 'human', 'A soup?'],
    ['one', 'q', 'assistant', 'Vichyssoise.'],
    ['two', 'q', 'assistant', 'Potage.'],
    ['back', 'one', 'human', 'How cold?'],
  ];
  const mapping = Object.fromEntries(
    spoken.map(([id, parent, sender, text], n) => {
      const fragments = [{ type: sender === 'human' ? 'REQUEST' : 'RESPONSE', content: text }];
      return [id, { id, parent, children: [], message: { inserted_at: at(n), fragments } }];
    }),
  );

  it.each<[format: string, content: unknown]>([
    [
      'Claude',
      {
        uuid: 'c',
        name: 'Soup',
        chat_messages: spoken.map(([uuid, parent_message_uuid, sender, text], n) => {
          return { uuid, parent_message_uuid, sender, text, created_at: at(n) };
        }),
      },
    ],
    [
      'Grok',
      {
        conversation: { id: 'g', title: 'Soup', leaf_response_id: null },
        responses: spoken.map(([_id, parent_response_id, sender, message], n) => {
          const create_time = { $date: { $numberLong: String(Date.parse(at(n))) } };
          return { response: { _id, parent_response_id, sender, message, create_time } };
        }),
      },
    ],
    ['DeepSeek', { id: 'd', title: 'Soup', inserted_at: at(0), mapping }],
  ])('of %s', async (_, content) => {
    const [lines] = await imported(content);
    expect(lines?.[0]).toBe('Soup; main: back, main-v2: two');
  });
});

describe('a conversation of Claude', () => {
  const chat = (content: unknown[], members: Record<string, unknown> = {}) => ({
    uuid: 'c',
    name: 'Soup',
    chat_messages: [{ uuid: 'm', sender: 'assistant', text: '', content, created_at: at(1) }],
    ...members,
  });
  const call = (id: string | null, name: string) => ({ type: 'tool_use', id, name, input: { of: name } });
  const result = (id: string | null, name: string, text: string) => {
    return { type: 'tool_result', tool_use_id: id, name, content: [{ type: 'text', text }], is_error: false };
  };

  it.each<[what: string, content: unknown[], line: string]>([
    [
      'calls without ids and their results, by their order',
      [call(null, 'files'), result(null, 'files', 'a.md'), call(null, 'repl'), result(null, 'repl', '1')],
      'files({"of":"files"}) = "a.md" | repl({"of":"repl"}) = "1"',
    ],
    [
      'the results of tools that have types of their own',
      [call('t', 'web_fetch'), { type: 'web_fetch_tool_result', tool_use_id: 't', content: { title: 'Leeks' } }],
      'web_fetch({"of":"web_fetch"}) = {"title":"Leeks"}',
    ],
    ['what was said aloud', [{ type: 'voice_note', title: 'Voice', text: 'A soup?' }], '"A soup?"'],
    [
      'what is left of thoughts',
      [{ type: 'thinking', thinking: '', summaries: [{ summary: 'Leeks.' }, { summary: 'Cold.' }] }],
      'thinks "Leeks.\\n\\nCold."',
    ],
    [
      'the pages that were found, and those that are cited, once',
      [
        call('t', 'web_search'),
        {
          ...result('t', 'web_search', ''),
          content: [{ type: 'knowledge', title: 'Leeks', url: 'https://leeks.example', text: 'Green.' }],
        },
        {
          type: 'text',
          text: 'Leeks.',
          citations: [
            { details: { type: 'web_search_citation', url: 'https://leeks.example' } },
            { details: { type: 'web_search_citation', url: 'https://soup.example' } },
          ],
        },
      ],
      'web_search({"of":"web_search"}) = "Green." | source https://leeks.example | "Leeks." | source https://soup.example',
    ],
  ])('has %s', async (_, content, line) => {
    const [lines] = await imported(chat(content));
    expect(lines).toEqual(['Soup; main: m', `m < - assistant: ${line}`]);
  });

  const design = {
    uuid: 'd',
    title: 'A page',
    project: { uuid: 'p', name: 'Site' },
    created_at: at(0),
    updated_at: at(9),
    messages: [
      {
        uuid: 'm1',
        role: 'user',
        created_at: at(1),
        content: {
          id: 'm1',
          kind: 'chat',
          content: 'A page about soup',
          attachments: [{ id: 'a', name: 'notes', type: 'text', content: 'Leeks' }],
        },
      },
      {
        uuid: 'm2',
        role: 'assistant',
        created_at: at(2),
        content: {
          id: 'm2',
          kind: 'chat',
          content: 'Done',
          contentBlocks: [
            { type: 'thinking', text: 'HTML.' },
            { type: 'tool_call', toolCall: { id: 't', name: 'write_file', input: { path: 'a.html' }, output: 'ok' } },
            { type: 'text', text: 'Done' },
          ],
        },
      },
      { uuid: 'm3', role: 'assistant', created_at: at(3), content: { kind: 'question-record', content: '', asked: 1 } },
    ],
  };

  it('of Claude Design has a message in each content', async () => {
    const lines = await imported(design);
    expect(lines).toEqual([
      [
        'A page; main: m3',
        'm1 < - user: "A page about soup" | "Leeks" | data-attachment {"id":"a","name":"notes","type":"text"}',
        'm2 < m1 assistant: thinks "HTML." | write_file({"path":"a.html"}) = "ok" | "Done"',
        'm3 < m2 assistant: data-question-record {"kind":"question-record","content":"","asked":1}',
      ],
    ]);
    const [{ createdAt, updatedAt, messages }] = Object.values(await importedChats(database)) as [ImportedChat];
    expect([createdAt, messages[1]?.createdAt, updatedAt]).toEqual(
      [at(0), at(2), at(9)].map((time) => Date.parse(time)),
    );
  });

  it('is read from the folders of the zip, and the report names the files that are left out', async () => {
    const zip = writeZip({
      'conversations.json': JSON.stringify([chat([{ type: 'text', text: 'Leeks.' }])]),
      'design_chats/d.json': JSON.stringify(design),
      'design_chats/e.json': JSON.stringify({ ...design, uuid: 'e', title: 'Empty', messages: [] }),
      'conversations/f.json': JSON.stringify(chat([{ type: 'text', text: 'Fish.' }], { uuid: 'f', name: 'Stew' })),
      'projects/p.json': JSON.stringify({ uuid: 'p', name: 'Site', docs: [] }),
      'memories.json': JSON.stringify([{ conversations_memory: 'Likes soup', account_uuid: 'u' }]),
      'users.json': JSON.stringify([{ uuid: 'u', full_name: 'Ann' }]),
      'login_history.json': '[{}]',
    });
    const report = await importContent(database, zip);
    expect(report.failures.kept).toEqual([]);
    expect(report.notes.kept.map((line) => line.replace(/ is left out: .*/, ''))).toEqual([
      'login_history.json',
      'memories.json',
      'projects/p.json',
      'users.json',
    ]);
    const chats = Object.values(await importedChats(database));
    expect(chats.map(({ title }) => title).sort()).toEqual(['A page', 'Empty', 'Soup', 'Stew']);
  });
});

describe('a response of Grok', () => {
  const saying = (members: Record<string, unknown>) => ({
    conversation: { id: 'g', title: 'Soup' },
    responses: [{ response: { _id: 'r', message: '', sender: 'ASSISTANT', ...members } }],
  });
  const mark = (id: string) =>
    `<grok:render card_id="${id}" card_type="citation_card" type="x"><argument name="n">1</argument></grok:render>`;
  const card = (members: Record<string, unknown>) => ({ card_attachments_json: [JSON.stringify(members)] });

  it.each<[what: string, members: Record<string, unknown>, line: string]>([
    [
      'its text without the marks of cards, and what they cite once',
      {
        message: `Leeks ${mark('a')}and cream ${mark('b')}.`,
        card_attachments_json: [{ id: 'a', url: 'https://soup.example' }, '{"id":"b","url":"https://leeks.example"}'],
        web_search_results: [{ url: 'https://soup.example', title: 'Soup' }],
      },
      '"Leeks and cream." | source https://soup.example | source https://leeks.example',
    ],
    [
      'images that it has made, at their whole address',
      {
        generated_image_urls: ['users/u/generated/1/image.jpg'],
        ...card({ type: 'render_generated_image', image_chunk: { imageUrl: 'users/u/generated/1/image.jpg' } }),
      },
      'file image/* https://assets.grok.com/users/u/generated/1/image.jpg',
    ],
    [
      'images that it has found, with their pages',
      card({ image: { original: 'https://soup.example/1.png', link: 'https://soup.example', title: 'Soup' } }),
      'file image/* https://soup.example/1.png | source https://soup.example',
    ],
    ['cards of other kinds', card({ id: 'c', stock: 'SOUP' }), 'data-card {"id":"c","stock":"SOUP"}'],
    ['why there is none', { error: 'Failed to respond.' }, 'data-error "Failed to respond."'],
    [
      'the thoughts of its agents',
      { thinking_trace: 'Leeks.', agent_thinking_traces: [{ thinking_trace: 'Leeks.' }, { thinking_trace: 'Cold.' }] },
      'thinks "Leeks.\\n\\nCold."',
    ],
    ['its steps where it has nothing else', { steps: [{ tags: ['x'] }] }, 'data-steps [{"tags":["x"]}]'],
  ])('has %s', async (_, members, line) => {
    expect(await imported(saying(members))).toEqual([['Soup; main: r', `r < - assistant: ${line}`]]);
  });

  it('is a question that stands in the query alone', async () => {
    const lines = await imported(saying({ sender: 'human', query: 'A soup?' }));
    expect(lines).toEqual([['Soup; main: r', 'r < - user: "A soup?"']]);
  });
});

describe('a message of DeepSeek', () => {
  const asked = { type: 'REQUEST', content: 'A soup?' };
  const talk = (members: Record<string, unknown>) => ({
    id: 'd',
    title: 'Soup',
    inserted_at: at(0),
    mapping: { 1: { id: '1', parent: null, children: [], message: { inserted_at: at(1), ...members } } },
  });

  it.each<[what: string, members: Record<string, unknown>, line: string]>([
    [
      'what its tools have searched and opened',
      {
        fragments: [
          { type: 'TOOL_SEARCH', queries: ['leeks'], results: [{ url: 'https://leeks.example', title: 'Leeks' }] },
          { type: 'TOOL_OPEN', result: { url: 'https://soup.example', title: 'Soup' } },
          { type: 'RESPONSE', content: 'Leeks.' },
        ],
      },
      'assistant: data-tool_search {"type":"TOOL_SEARCH","queries":["leeks"],"results":[{"url":"https://leeks.example",' +
        '"title":"Leeks"}]} | source https://leeks.example | data-tool_open {"type":"TOOL_OPEN","result":' +
        '{"url":"https://soup.example","title":"Soup"}} | source https://soup.example | "Leeks."',
    ],
    [
      'a search that has found nothing',
      { fragments: [{ type: 'SEARCH', results: [] }] },
      'assistant: data-search {"type":"SEARCH","results":[]}',
    ],
    [
      'files, which the user has sent',
      { fragments: [{ type: 'FILE', files: [{ file_name: 'list.txt' }] }] },
      'user: data-file {"type":"FILE","files":[{"file_name":"list.txt"}]}',
    ],
    [
      'files beside the fragments',
      { fragments: [asked], files: [{ file_name: 'list.txt' }] },
      'user: "A soup?" | data-file {"file_name":"list.txt"}',
    ],
  ])('has %s', async (_, members, line) => {
    expect(await imported(talk(members))).toEqual([['Soup; main: 1', `1 < - ${line}`]]);
  });
});

describe('a prompt of Google AI Studio', () => {
  const prompt = (...chunks: unknown[]) => ({ runSettings: {}, chunkedPrompt: { chunks } });
  const image = { mimeType: 'image/png', data: 'aGk=' };

  it('is another than one that begins with another file, or with the same question, where nothing has a time', async () => {
    const question = { role: 'user', text: 'What is it about?' };
    const [soup, stew] = ['Soup.', 'Stew.'].map((text) => ({ role: 'model', text }));
    const lines = await imported([
      prompt({ role: 'user', driveDocument: { id: 'one' } }, question, soup),
      prompt({ role: 'user', driveDocument: { id: 'two' } }, question, soup),
      prompt(question, soup),
      prompt(question, stew),
      prompt(question, stew, question),
    ]);
    expect(lines.map(({ length }) => length).sort()).toEqual([3, 4, 4, 4]);
  });

  it('has its first question as the title where the file has no name', async () => {
    const question = `${'\u{1f372}'.repeat(120)}\nAnd a stew?`;
    const given = prompt({ role: 'user', driveImage: { id: 'd' } }, { role: 'user', text: question });
    const titles = async (name?: string) => {
      const found = [];
      const bytes = Buffer.from(JSON.stringify(given));
      for await (const { title } of readConversations(bytes, name === undefined ? {} : { name })) found.push(title);
      return found;
    };
    expect([await titles(), await titles('Leeks.json.gz')]).toEqual([['\u{1f372}'.repeat(100)], ['Leeks']]);
  });

  it('has the name of its file as the title, and is another one in a file of another name', async () => {
    const text = JSON.stringify(prompt({ role: 'user', text: 'Summarize' }, { role: 'model', text: 'Done.' }));
    const zip = writeZip({ 'Drive/Leeks': text, 'Drive/Salt.json': text });
    await importContent(database, zip);
    const chats = Object.values(await importedChats(database));
    expect(chats.map(({ title }) => title).sort()).toEqual(['Leeks', 'Salt']);
    const again = await importContent(database, zip);
    expect(again.conversations).toEqual({ imported: 0, updated: 0, unchanged: 2 });
  });

  it.each<[what: string, chunk: Record<string, unknown>, line: string]>([
    [
      'what its text does not tell of its parts',
      {
        text: 'Look',
        parts: [
          { text: 'Lo' },
          { text: 'ok', thoughtSignature: 's' },
          { executableCode: { code: '1' } },
          { codeExecutionResult: { output: '2' } },
          { inlineData: image },
          { thoughtSignature: 's' },
        ],
        inlineFile: image,
      },
      '"Look" | data-executableCode {"code":"1"} | data-codeExecutionResult {"output":"2"} | file image/png data:image/png;base64,aGk=',
    ],
    ['files of any kind in Drive', { driveSheet: { id: 'd' } }, 'data-driveSheet {"id":"d"}'],
    ['why there is no answer', { text: '', finishReason: 'SAFETY' }, 'data-chunk {"finishReason":"SAFETY"}'],
  ])('has %s', async (_, chunk, line) => {
    const lines = await imported(prompt({ role: 'model', ...chunk }));
    expect(lines).toEqual([['export; main: chunk-1', `chunk-1 < - assistant: ${line}`]]);
  });
});

describe("Gemini's activity", () => {
  const activity = (title: string, members: Record<string, unknown> = {}) => ({
    header: 'Gemini Apps',
    title,
    time: at(1),
    products: ['Gemini Apps'],
    ...members,
  });

  it.each([
    ['Gemini Apps', 'Prompted with: A soup?'],
    ['Gemini-Apps', 'Eingegebener Prompt: A soup?'],
    ['Gemini 應用程式', '已給予提示 A soup?'],
    ['Bard', 'Asked Bard: A soup?'],
  ])('of %s has the prompt alone: %s', async (header, title) => {
    const lines = await imported([activity(title, { header, products: [header] })]);
    expect(lines).toEqual([['A soup?; main: prompt', 'prompt < - user: "A soup?"']]);
  });

  it('is no conversation where it is that of the search or of YouTube', async () => {
    const searched = ['Search', 'YouTube'].map((header) => activity('Searched soup', { header, products: [header] }));
    const report = await importContent(
      database,
      writeZip({
        'Takeout/My Activity/Gemini Apps/MyActivity.json': JSON.stringify([activity('Prompted A soup?')]),
        'Takeout/My Activity/Search/MyActivity.json': JSON.stringify(searched),
      }),
    );
    expect([report.failures.kept, report.notes.kept]).toEqual([
      [],
      ['Takeout/My Activity/Search/MyActivity.json holds no conversations'],
    ]);
    expect(Object.values(await importedChats(database)).map(({ title }) => title)).toEqual(['A soup?']);
  });

  it('has what came with the prompt, from the zip', async () => {
    const subtitles = [{ name: 'Attached 1 file.' }, { name: '-  list.txt', url: 'list-1e98.txt' }];
    const given = activity('Prompted A soup?', { subtitles, attachedFiles: ['list-1e98.txt'] });
    const zip = { 'Gemini Apps/MyActivity.json': JSON.stringify([given]), 'Gemini Apps/list-1e98.txt': 'Leeks' };
    await importContent(database, writeZip(zip));
    const [{ messages }] = Object.values(await importedChats(database)) as [ImportedChat];
    expect(messages[0]?.data.parts.slice(1)).toEqual([
      { type: 'data-attachment', data: { url: 'list-1e98.txt', name: 'list.txt' } },
      { type: 'file', mediaType: 'text/plain', filename: 'list.txt', url: 'data:text/plain;base64,TGVla3M=' },
    ]);
  });

  it.each([
    ['<p>One<p>Two<br>Three &euro;&#x41;&#0;', 'One\n\nTwo  \nThree \u20acA\ufffd'],
    ['<ul><li>a &amp; b</li>\n <li>c</li></ul><script>x("</p>")</script><style>p{}</style>', '-   a & b\n-   c'],
    [
      '<h2>Code</h2><pre>if (a &lt; b)\n  go()</pre>1 < 2<!-- no -->',
      '## Code\n\n```\nif (a < b)\n  go()\n```\n\n1 < 2',
    ],
  ])('becomes Markdown: %s', async (html, words) => {
    const [lines] = await imported([activity('Prompted A soup?', { safeHtmlItem: [{ html }] })]);
    expect(lines?.at(-1)).toBe(`answer < prompt assistant: ${JSON.stringify(words)}`);
  });

  it('keeps the HTML of an answer that nests too deep to be read', async () => {
    const html = `${'<div>'.repeat(100_000)}Leeks`;
    await importContent(database, [activity('Prompted A soup?', { safeHtmlItem: [{ html }] })]);
    const [{ messages }] = Object.values(await importedChats(database)) as [ImportedChat];
    expect(messages[1]?.data.parts).toEqual([{ type: 'text', text: html }]);
  });
});

it('reads the conversations of Gemini in Workspace, which are text files', async () => {
  const history = {
    title: 'Soup',
    creation_time: at(0),
    last_modification_time: at(9),
    conversation_turns: [
      { user_turn: { prompt: 'A soup?', turn_index: 0, turn_last_modified: at(1) } },
      {
        system_turn: {
          turn_index: 1,
          turn_last_modified: at(2),
          model_thoughts: [{ headline: 'Leeks', description: 'Cold ones.' }],
          text: [{ data: 'Vichyssoise.' }, { cards: [{ content: 'A card' }] }],
          images: ['conversation_1_turn_1_images_0'],
        },
      },
      { user_turn: { turn_index: 2, turn_deleted_time: at(3) } },
    ],
  };
  const lines = await imported(writeZip({ 'Conversation History/conversation_1.txt': JSON.stringify(history) }));
  expect(lines).toEqual([
    [
      'Soup; main: 3',
      '1 < - user: "A soup?"',
      '2 < 1 assistant: thinks "Leeks\\n\\nCold ones." | "Vichyssoise." | "A card" | data-image "conversation_1_turn_1_images_0"',
      `3 < 2 user: data-turn ${JSON.stringify(history.conversation_turns[2])}`,
    ],
  ]);
  const [{ createdAt, messages }] = Object.values(await importedChats(database)) as [ImportedChat];
  expect([createdAt, messages[1]?.createdAt]).toEqual([at(0), at(2)].map((time) => Date.parse(time)));
});
