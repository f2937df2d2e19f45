/** What real exports hold beside what is in the samples. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDatabase, type TemporaryDatabase } from '../support/temporary-database.js';
import { chatLines } from './chat-lines.js';
import { importContent, importedChats } from './imported-chats.js';

let database: TemporaryDatabase;
beforeEach(async () => {
  database = await temporaryDatabase();
});
afterEach(() => database.remove());

/** A message and what becomes of it. */
type Case = [what: string, given: object, becomes: string];

/** The chats of a file as lines, those of the first chat first. */
async function read(content: unknown): Promise<string[]> {
  const report = await importContent(database, content);
  expect(report.failures.kept).toEqual([]);
  return Object.values(await importedChats(database)).flatMap(chatLines);
}

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
      'pages that were found, without the marks where they are cited',
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
