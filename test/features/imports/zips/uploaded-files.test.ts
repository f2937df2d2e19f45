/** Files in zips of Claude, LibreChat and Open WebUI, whose names contain ids of messages. */
import { describe, expect, it } from 'vitest';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { importContent, onlyChat } from '../imported-chats.js';
import { writeZip } from './write-zip.js';
import { PNG } from './zips-with-files.js';

const database = databaseForEach();

const uuid = (n: number) => `0f9e8d7c-6b5a-4c3d-8e1f-00000000000${n}`;
const [NOTES, TABLE] = [Buffer.from('Notes'), Buffer.from('{"a": 1}')];
const part = (mediaType: string, filename: string, content: Buffer) => ({
  type: 'file',
  mediaType,
  filename,
  url: `data:${mediaType};base64,${content.toString('base64')}`,
});

async function imported(files: Record<string, string | Buffer>) {
  const report = await importContent(database, writeZip(files));
  expect(report.failures.kept).toEqual([]);
  expect(report.notes.kept).toEqual([]);
  const parts = (await onlyChat(database)).messages.map(({ data }) => data.parts.filter(({ type }) => type === 'file'));
  return { parts, warnings: report.warnings.kept.map((warning) => warning.replace(/^.*? \(/, 'FILE (')) };
}

function missing(...pointers: string[]): string[] {
  const [are, instead] = pointers.length === 1 ? ['is', 'a pointer replaces it'] : ['are', 'pointers replace them'];
  const listed = pointers.map((pointer) => `"${pointer}"`).join(', ');
  return [`FILE ("Files"): ${pointers.length} of its files ${are} not in the zip: ${instead} (${listed})`];
}

describe('a file of a zip', () => {
  it('of Claude is found by its id, in a message and in a tool result; others are reported', async () => {
    const conversation = {
      uuid: uuid(0),
      name: 'Files',
      chat_messages: [
        {
          uuid: uuid(8),
          sender: 'human',
          text: 'Look',
          files: [
            { file_kind: 'image', file_uuid: uuid(1), file_name: 'photo.png' },
            { file_uuid: uuid(2), file_name: 'lost.pdf' },
            { file_name: 'unnumbered.png' },
          ],
        },
        {
          uuid: uuid(9),
          sender: 'assistant',
          content: [{ type: 'tool_result', content: [{ type: 'image', file_uuid: uuid(3) }] }],
        },
      ],
    };
    const { parts, warnings } = await imported({
      'conversations.json': JSON.stringify([conversation]),
      [`files/${uuid(1)}/ignored.txt`]: '',
      [`files/${uuid(1)}.png`]: PNG,
      [`files/${uuid(3).toUpperCase()}-plot.png`]: PNG,
    });
    const plot = `${uuid(3).toUpperCase()}-plot.png`;
    expect(parts).toEqual([[part('image/png', 'photo.png', PNG)], [part('image/png', plot, PNG)]]);
    expect(warnings).toEqual(missing(uuid(2), 'unnumbered.png'));
  });

  it('of LibreChat is found by the id in its path, and its text is not read as conversations', async () => {
    const path = (n: number, name: string) => `/uploads/65a1b2c3d4e5f60718293a4b/${uuid(n)}__${name}`;
    const conversation = {
      conversationId: 'c1',
      title: 'Files',
      messages: [
        {
          messageId: 'm1',
          parentMessageId: null,
          isCreatedByUser: true,
          text: 'Look',
          files: [
            { file_id: uuid(1), filepath: path(1, 'notes.txt'), filename: 'notes.txt', type: 'text/plain' },
            { file_id: uuid(2), filepath: 'vectordb', filename: 'table.json', type: 'application/json' },
            { file_id: uuid(3), filepath: path(3, 'lost.png'), filename: 'lost.png', type: 'image/png' },
            { file_id: uuid(4), filepath: 'https://files.example/a.png', filename: 'a.png', type: 'image/png' },
          ],
        },
        {
          messageId: 'm2',
          parentMessageId: 'm1',
          isCreatedByUser: false,
          content: [{ type: 'image_file', image_file: { file_id: 'x', filepath: `/images/u/img-${uuid(5)}.png` } }],
        },
      ],
    };
    const { parts, warnings } = await imported({
      'Files.json': JSON.stringify(conversation),
      [path(1, 'notes.txt').slice(1)]: NOTES,
      [path(2, 'table.json').slice(1)]: TABLE,
      [`images/u/img-${uuid(5)}.png`]: PNG,
    });
    expect(parts).toEqual([
      [
        { type: 'file', mediaType: 'image/png', filename: 'a.png', url: 'https://files.example/a.png' },
        part('text/plain', 'notes.txt', NOTES),
        part('application/json', 'table.json', TABLE),
      ],
      [part('image/png', `img-${uuid(5)}.png`, PNG)],
    ]);
    expect(warnings).toEqual(missing(path(3, 'lost.png')));
  });

  it('of Open WebUI is found by its id, also when the text of an answer shows it', async () => {
    const image = `/cache/image/generations/${uuid(3)}.png`;
    const messages = {
      m1: {
        id: 'm1',
        parentId: null,
        childrenIds: ['m2'],
        role: 'user',
        content: 'Look',
        files: [
          { type: 'image', url: uuid(1) },
          {
            type: 'file',
            id: uuid(2),
            url: uuid(2),
            name: 'notes.txt',
            file: { meta: { content_type: 'text/plain' } },
          },
          { type: 'file', id: uuid(4), url: `/api/v1/files/${uuid(4)}`, name: 'lost.pdf' },
          { type: 'file', url: 'https://example.org/', name: 'a page' },
          { type: 'collection', id: 'docs', name: 'Documents' },
        ],
      },
      m2: { id: 'm2', parentId: 'm1', childrenIds: [], role: 'assistant', content: `Here: ![An image](${image})` },
    };
    const { parts, warnings } = await imported({
      'chat-export.json': JSON.stringify([
        { id: 'w1', chat: { title: 'Files', history: { messages, currentId: 'm2' } } },
      ]),
      [`data/uploads/${uuid(1)}_photo.png`]: PNG,
      [`data/uploads/${uuid(2)}_notes.txt`]: NOTES,
      [`data${image}`]: PNG,
    });
    expect(parts).toEqual([
      [
        { type: 'file', mediaType: 'application/octet-stream', filename: 'a page', url: 'https://example.org/' },
        part('image/png', `${uuid(1)}_photo.png`, PNG),
        part('text/plain', 'notes.txt', NOTES),
      ],
      [part('image/png', `${uuid(3)}.png`, PNG)],
    ]);
    expect(warnings).toEqual(missing(`/api/v1/files/${uuid(4)}`));
  });
});
