/** Exports of Claude, and exports without the active leaf. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../../support/database/database-scope.js';
import { importContent, importedChats } from '../../imported-chats.js';
import { writeZip } from '../../zips/write-zip.js';
import { SAMPLES_FOLDER } from '../sample-graphs.js';
import { at, importLines } from './imported-values.js';

const database = databaseForEach();

const imported = (content: unknown) => importLines(database, content);

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
      'results of tools with custom types',
      [call('t', 'web_fetch'), { type: 'web_fetch_tool_result', tool_use_id: 't', content: { title: 'Leeks' } }],
      'web_fetch({"of":"web_fetch"}) = {"title":"Leeks"}',
    ],
    ['speech as text', [{ type: 'voice_note', title: 'Voice', text: 'A soup?' }], '"A soup?"'],
    [
      'summaries of thoughts',
      [{ type: 'thinking', thinking: '', summaries: [{ summary: 'Leeks.' }, { summary: 'Cold.' }] }],
      'thinks "Leeks.\\n\\nCold."',
    ],
    [
      'found pages and cited pages, each once',
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

  const design = JSON.parse(readFileSync(join(SAMPLES_FOLDER, 'claude-design.json'), 'utf8')) as object;

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
