/** Exports of Grok and DeepSeek. */
import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../../support/database/database-scope.js';
import { at, importLines } from './imported-values.js';

const database = databaseForEach();

const imported = (content: unknown) => importLines(database, content);

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
      'its text without card marks, and cited pages once',
      {
        message: `Leeks ${mark('a')}and cream ${mark('b')}.`,
        card_attachments_json: [{ id: 'a', url: 'https://soup.example' }, '{"id":"b","url":"https://leeks.example"}'],
        web_search_results: [{ url: 'https://soup.example', title: 'Soup' }],
      },
      '"Leeks and cream." | source https://soup.example | source https://leeks.example',
    ],
    [
      'generated images, at their full address',
      {
        generated_image_urls: ['users/u/generated/1/image.jpg'],
        ...card({ type: 'render_generated_image', image_chunk: { imageUrl: 'users/u/generated/1/image.jpg' } }),
      },
      'file image/* https://assets.grok.com/users/u/generated/1/image.jpg',
    ],
    [
      'found images, with their pages',
      card({ image: { original: 'https://soup.example/1.png', link: 'https://soup.example', title: 'Soup' } }),
      'file image/* https://soup.example/1.png | source https://soup.example',
    ],
    ['cards of other kinds', card({ id: 'c', stock: 'SOUP' }), 'data-card {"id":"c","stock":"SOUP"}'],
    ['the reason of a missing response', { error: 'Failed to respond.' }, 'data-error "Failed to respond."'],
    [
      'the thoughts of its agents',
      { thinking_trace: 'Leeks.', agent_thinking_traces: [{ thinking_trace: 'Leeks.' }, { thinking_trace: 'Cold.' }] },
      'thinks "Leeks.\\n\\nCold."',
    ],
    ['its steps if it has nothing else', { steps: [{ tags: ['x'] }] }, 'data-steps [{"tags":["x"]}]'],
  ])('has %s', async (_, members, line) => {
    expect(await imported(saying(members))).toEqual([['Soup; main: r', `r < - assistant: ${line}`]]);
  });

  it('is a question if only the query contains it', async () => {
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
      'searches and opened pages of its tools',
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
      'a search without results',
      { fragments: [{ type: 'SEARCH', results: [] }] },
      'assistant: data-search {"type":"SEARCH","results":[]}',
    ],
    [
      'files of the user',
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
