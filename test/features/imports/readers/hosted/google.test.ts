/** Exports of Google AI Studio and Gemini. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConversations } from '@parley/interchange';
import { databaseForEach } from '../../../../support/database/database-scope.js';
import { importContent, importedChats, type ImportedChat } from '../../imported-chats.js';
import { writeZip } from '../../zips/write-zip.js';
import { SAMPLES_FOLDER } from '../sample-graphs.js';
import { at, importLines } from './imported-values.js';

const database = databaseForEach();

const imported = (content: unknown) => importLines(database, content);

describe('a prompt of Google AI Studio', () => {
  const prompt = (...chunks: unknown[]) => ({ runSettings: {}, chunkedPrompt: { chunks } });
  const image = { mimeType: 'image/png', data: 'aGk=' };

  it('without times is separate from one that begins with another file or the same question', async () => {
    const question = { role: 'user', text: 'What is it about?' };
    const [soup, stew] = ['Soup.', 'Stew.'].map((text) => ({ role: 'model', text }));
    const lines = await imported([
      prompt({ role: 'user', driveDocument: { id: 'one' } }, question, soup),
      prompt({ role: 'user', driveDocument: { id: 'two' } }, question, soup),
      prompt(question, soup),
      prompt(question, stew),
      prompt(question, stew, question),
    ]);
    expect(lines.map(({ length }) => length).sort()).toEqual([3, 3, 4, 4, 4]);
  });

  it('has its first question as the title if the file has no name', async () => {
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

  it('has the name of its file as the title, and is the same chat in a copy with another name', async () => {
    const text = JSON.stringify(prompt({ role: 'user', text: 'Summarize' }, { role: 'model', text: 'Done.' }));
    const zip = writeZip({ 'Drive/Leeks': text, 'Drive/Salt.json': text });
    await importContent(database, zip);
    const chats = Object.values(await importedChats(database));
    expect(chats.map(({ title }) => title)).toEqual(['Leeks']);
    const again = await importContent(database, zip);
    expect(again.conversations).toEqual({ imported: 0, updated: 0, unchanged: 2 });
  });

  it.each<[what: string, chunk: Record<string, unknown>, line: string]>([
    [
      'parts that its text omits',
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
    ['the reason of a missing answer', { text: '', finishReason: 'SAFETY' }, 'data-chunk {"finishReason":"SAFETY"}'],
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
  ])('of %s has only the prompt: %s', async (header, title) => {
    const lines = await imported([activity(title, { header, products: [header] })]);
    expect(lines).toEqual([['A soup?; main: prompt', 'prompt < - user: "A soup?"']]);
  });

  it('of the search or of YouTube is no conversation', async () => {
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
      ['Takeout/My Activity/Search/MyActivity.json contains no conversations'],
    ]);
    expect(Object.values(await importedChats(database)).map(({ title }) => title)).toEqual(['A soup?']);
  });

  it('has the attachments of the prompt from the zip', async () => {
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

  it('keeps the HTML of an answer that is nested too deeply', async () => {
    const html = `${'<div>'.repeat(100_000)}Leeks`;
    await importContent(database, [activity('Prompted A soup?', { safeHtmlItem: [{ html }] })]);
    const [{ messages }] = Object.values(await importedChats(database)) as [ImportedChat];
    expect(messages[1]?.data.parts).toEqual([{ type: 'text', text: html }]);
  });
});

it('reads the conversations of Gemini in Workspace, which are text files', async () => {
  const history = readFileSync(join(SAMPLES_FOLDER, 'gemini-workspace.json'));
  const [lines] = await imported(writeZip({ 'Conversation History/conversation_1.txt': history }));
  expect(lines?.[0]).toBe('Soup; main: 3');
  const [{ createdAt, messages }] = Object.values(await importedChats(database)) as [ImportedChat];
  expect([createdAt, messages[1]?.createdAt]).toEqual([at(0), at(2)].map((time) => Date.parse(time)));
});
