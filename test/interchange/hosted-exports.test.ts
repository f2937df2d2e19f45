/** What exports of hosted chats hold beside the shapes of the samples. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryDatabase, type TemporaryDatabase } from '../support/temporary-database.js';
import { chatLines } from './chat-lines.js';
import { importContent, importedChats } from './imported-chats.js';

let database: TemporaryDatabase;
beforeEach(async () => {
  database = await temporaryDatabase();
});
afterEach(() => database.remove());

/** The lines of each chat behind its title, once everything has been read without a fault. */
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
