/** Files in zips of ChatGPT. */
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openStream } from '@parley/interchange/server';
import { importFile } from '../../../../src/features/imports/import-file.js';
import { databaseForEach } from '../../../support/database/database-scope.js';
import { conversation, message, nodeOf } from '../readers/chatgpt-export.js';
import { importContent, onlyChat } from '../imported-chats.js';
import { writeZip } from './write-zip.js';
import { PNG, image, saying } from './zips-with-files.js';

const database = databaseForEach();

const WAV = Buffer.from('RIFF\0\0\0\0WAVE with a sound', 'latin1');

const urlOf = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;

async function importZip(given: object, files: Record<string, string | Buffer>) {
  const zip = writeZip({ 'conversations.json': JSON.stringify([given]), ...files });
  const report = await importContent(database, zip);
  expect(report.failures.kept).toEqual([]);
  return report;
}

async function filesOf(): Promise<unknown[]> {
  const [first] = (await onlyChat(database)).messages;
  return first!.data.parts.filter(({ type }) => type === 'file');
}

describe('a file of a zip', () => {
  it.each([
    ['file-service://file-Abc1', 'file-Abc1-photo.png'],
    ['file-service://file-Abc1', 'dalle-generations/file-Abc1-0f9e.webp'],
    ['sediment://file_0001', 'user-x1/file_0001-sanitized.png'],
    ['sediment://file_0001', 'file_0001.dat'],
    ['sediment://0f9e#file_0001#p_0.png', 'c1/file_0001'],
  ])('is the part of %s with the name %s', async (pointer, name) => {
    const report = await importZip(saying(['Look', image(pointer)]), { [name]: PNG, 'file-Abc-other.png': 'other' });
    expect(report.warnings.kept).toEqual([]);
    const filename = name.replace(/.*\//, '');
    expect(await filesOf()).toEqual([{ type: 'file', mediaType: 'image/png', filename, url: urlOf('image/png', PNG) }]);
    const [first] = (await onlyChat(database)).messages;
    expect(JSON.stringify(first?.data.metadata['original'])).toContain(pointer);
  });

  it('that is an attachment or speech is a part of its message', async () => {
    const sound = { content_type: 'audio_asset_pointer', asset_pointer: 'sediment://file_0002', format: 'wav' };
    const both = { content_type: 'real_time_user_audio_video_asset_pointer', audio_asset_pointer: sound };
    const attachments = [
      { id: 'file_0001', name: 'photo.png', mime_type: 'image/png' },
      { id: 'file-Doc', name: 'notes.txt', mime_type: 'text/plain' },
    ];
    const given = saying([image('sediment://file_0001'), both], { metadata: { attachments } });
    const files = { 'file_0001-photo.png': PNG, 'audio/file_0002-x.wav': WAV, 'file-Doc-notes.txt': 'Notes' };
    expect((await importZip(given, files)).warnings.kept).toEqual([]);
    expect(await filesOf()).toEqual([
      { type: 'file', mediaType: 'image/png', filename: 'photo.png', url: urlOf('image/png', PNG) },
      { type: 'file', mediaType: 'audio/wav', filename: 'file_0002-x.wav', url: urlOf('audio/wav', WAV) },
      { type: 'file', mediaType: 'text/plain', filename: 'notes.txt', url: urlOf('text/plain', Buffer.from('Notes')) },
    ]);
  });

  it('has the name of the attachment if the zip contains it', async () => {
    const names = JSON.stringify({ 'file_0001.dat': 'cat.png', 'c1/file_0002.dat': 'table.xlsx', 'file_0003.dat': 7 });
    const attachments = ['file_0001', 'file_0002', 'file_0003'].map((id) => ({ id }));
    const files = { 'file_0001.dat': PNG, 'c1/file_0002.dat': 'PK', 'file_0003.dat': 'x' };
    await importZip(saying(['Look'], { metadata: { attachments } }), {
      'conversation_asset_file_names.json': names,
      ...files,
    });
    expect(await filesOf()).toMatchObject([
      { filename: 'cat.png', mediaType: 'image/png' },
      { filename: 'table.xlsx', mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
      { filename: 'file_0003.dat', mediaType: 'application/octet-stream' },
    ]);
  });

  it('has a name that can be stored, and is not too long', async () => {
    const names = { 'file-Abc1.dat': `a\0b\ud83d${'c'.repeat(250)}\u{1f600}` };
    const given = saying([image('file-service://file-Abc1')]);
    await importZip(given, { 'conversation_asset_file_names.json': JSON.stringify(names), 'file-Abc1.dat': PNG });
    expect(await filesOf()).toMatchObject([{ filename: `a\ufffdb\ufffd${'c'.repeat(250)}\ufffd` }]);
  });

  it.each(['oops', '[1', 'null', '7', '"x"'])('has its own name if the list of names is invalid: %s', async (names) => {
    const given = saying([image('file-service://file-Abc1')]);
    await importZip(given, { 'conversation_asset_file_names.json': names, 'file-Abc1.dat': PNG });
    expect(await filesOf()).toMatchObject([{ filename: 'file-Abc1.dat', url: urlOf('image/png', PNG) }]);
  });

  it.each(['prod-mc-asset-server', 'prod-mc-asset-server/'])(
    "of Grok's is a part of the message to which it was attached, and is not taken for conversations: %s",
    async (folder) => {
      const response = { response_id: 'r1', message: 'Look', sender: 'human', file_attachments: ['0f9e-1', '0f9e-2'] };
      const about = { conversation_id: 'g1', title: 'Mars' };
      const zip = writeZip({
        'ttl/30d/export_data/u/prod-grok-backend.json': JSON.stringify({
          conversations: [{ conversation: about, responses: [{ response }] }],
        }),
        'ttl/30d/export_data/u/prod-mc-billing.json': '{"plan": "none"}',
        [`ttl/30d/export_data/u/${folder}/0f9e-1/content`]: PNG,
      });
      const report = await importContent(database, zip);
      expect(report.failures.kept).toEqual([]);
      expect(report.notes.kept).toEqual(['ttl/30d/export_data/u/prod-mc-billing.json contains no conversations']);
      expect(report.warnings.kept).toEqual([expect.stringContaining('1 of its files is not in the zip')]);
      expect(await filesOf()).toEqual([
        { type: 'file', mediaType: 'image/png', filename: '0f9e-1', url: urlOf('image/png', PNG) },
      ]);
    },
  );

  it('is found for each kind of pointer: a screenshot, a plot, frames and sound of a video', async () => {
    const screenshot = image('sediment://file_0001');
    const seen = { content_type: 'computer_output', computer_id: '1', screenshot, state: { title: 'Soup' } };
    const plot = { message_type: 'image', image_url: 'file-service://file-Plot' };
    const spoken = {
      content_type: 'real_time_user_audio_video_asset_pointer',
      frames_asset_pointers: ['sediment://file_0002'],
      video_container_asset_pointer: { asset_pointer: 'sediment://file_0003' },
      audio_asset_pointer: { asset_pointer: 'sediment://file_0004' },
    };
    const given = conversation(['a', 'b < a', 'c < b']);
    nodeOf(given, 'a').message = message('a', { content: { content_type: 'multimodal_text', parts: [spoken] } });
    nodeOf(given, 'b').message = message('b', { author: { role: 'tool', name: 'computer.do' }, content: seen });
    nodeOf(given, 'c').message = message('c', {
      author: { role: 'tool', name: 'python' },
      content: { content_type: 'execution_output', text: 'done' },
      metadata: { aggregate_result: { messages: [plot] }, attachments: [{ id: 'file-Plot', name: 'plot.png' }] },
    });
    const names = ['file_0001-x.png', 'file-Plot-x.png', 'file_0002.png', 'file_0003.png', 'file_0004.png'];
    await importZip(given, Object.fromEntries(names.map((name) => [name, PNG])));
    const embedded = (await onlyChat(database)).messages.map(({ data }) =>
      data.parts.flatMap((part) => ('filename' in part ? part.filename : [])),
    );
    expect(embedded).toEqual([['file_0002.png', 'file_0003.png', 'file_0004.png'], ['file_0001-x.png'], ['plot.png']]);
  });

  it('of a tool is a part next to its result', async () => {
    const given = conversation(['a', 'b < a', 'c < b']);
    const content = { content_type: 'multimodal_text', parts: [image('file-service://file-Made')] };
    nodeOf(given, 'b').message = message('b', { author: { role: 'assistant' }, recipient: 'dalle.text2im' });
    nodeOf(given, 'c').message = message('c', { author: { role: 'tool', name: 'dalle.text2im' }, content });
    await importZip(given, { 'dalle-generations/file-Made-1.png': PNG });
    const last = (await onlyChat(database)).messages.at(-1);
    expect(last?.data.parts).toMatchObject([
      { type: 'dynamic-tool', toolName: 'dalle.text2im' },
      { type: 'file', mediaType: 'image/png', url: urlOf('image/png', PNG) },
    ]);
  });

  it('is found also in a zip from a pipe', async () => {
    const given = JSON.stringify([saying([image('file-service://file-Abc1')])]);
    const zip = writeZip({ 'export/conversations.json': given, 'export/file-Abc1.png': PNG });
    const file = await openStream(Readable.from([zip]), 'standard input');
    await importFile(database.store, 'local', file);
    await file.close();
    expect(await filesOf()).toMatchObject([{ url: urlOf('image/png', PNG) }]);
  });

  it('that exceeds the limit of its message, alone or with earlier files, remains a pointer, and is reported', async () => {
    const parts = [1, 2, 3, 4].map((n) => image(`file-service://file-Big${n}`));
    const files = {
      'file-Big1.png': Buffer.alloc(800_000, 1),
      'file-Big2.png': Buffer.alloc(500_000, 2),
      'file-Big3.png': Buffer.alloc(400_000, 3),
      'file-Big4.png': Buffer.alloc(200_000, 4),
    };
    const report = await importZip(saying(['Look', ...parts]), files);
    expect(report.warnings.kept).toEqual([
      'conversation 1 of conversations.json ("A talk"): 2 of its files are too large to be in a message: ' +
        'pointers replace them ("file-service://file-Big1", "file-service://file-Big3")',
    ]);
    const urls = (await filesOf()).map((part) => (part as { url: string }).url.slice(0, 27));
    expect(urls.map((url) => url.split(':')[0])).toEqual(['file-service', 'data', 'file-service', 'data']);
    const [first] = (await onlyChat(database)).messages;
    expect(first?.data.metadata).toHaveProperty('original.content.parts');
  });

  it('that is missing remains a pointer, and is reported', async () => {
    const given = saying([image('file-service://file-Gone')]);
    const report = await importZip(given, {});
    expect(report.warnings.kept).toEqual([
      expect.stringMatching(
        /: 1 of its files is not in the zip: a pointer replaces it \("file-service:\/\/file-Gone"\)$/,
      ),
    ]);
    expect(await filesOf()).toEqual([{ type: 'file', mediaType: 'image/*', url: 'file-service://file-Gone' }]);
  });

  it('does not duplicate a message that was imported without it', async () => {
    const given = saying([image('file-service://file-Abc1')]);
    await importContent(database, [given]);
    const report = await importZip(given, { 'file-Abc1.png': PNG });
    expect(report.conversations).toEqual({ imported: 0, updated: 0, unchanged: 1 });
  });
});
