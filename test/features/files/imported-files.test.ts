/** Images and documents of imported conversations become files. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sql from 'sql-template-tag';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command } from '../../../src/features/imports/command.js';
import { runHere } from '../../cli/run-here.js';
import { onlyChat } from '../imports/imported-chats.js';
import { conversation, message, nodeOf } from '../imports/readers/chatgpt-export.js';
import { writeZip } from '../imports/zips/write-zip.js';
import { tableAt } from '../../support/database/all-rows.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../support/database/temporary-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { PNG, sha256, startFileServer } from './file-server.js';

const IMAGE = Buffer.concat([PNG, Buffer.alloc(9_000)]);
const LARGE = Buffer.concat([PNG, Buffer.alloc(2 * 1024 ** 2, 7)]);
/** As a data URL, too large for a message. */
const MEDIUM = Buffer.concat([PNG, Buffer.alloc(1024 ** 2, 7)]);
const TEXT = Buffer.from('A line of notes\n'.repeat(1_000));
const reference = (content: Uint8Array) => `parley:file:${sha256(content)}`;
const dataUrl = (content: Buffer, type = 'image/png') => `data:${type};base64,${content.toString('base64')}`;

async function database(): Promise<TemporaryDatabase> {
  const opened = await temporaryDatabase();
  onTestFinished(() => opened.remove());
  return opened;
}

/** Imports a file on the command line. */
async function bring(to: TemporaryDatabase, content: string | Buffer, environment: Record<string, string> = {}) {
  const path = join(to.folder, 'export');
  await writeFile(path, content);
  const FILES_URL = `file:${join(to.folder, 'files')}`;
  return runHere('import', command, [path], { environment: { DATABASE_URL: to.url, FILES_URL, ...environment } });
}

/** A line of a conversation whose message has these parts. */
const saying = (parts: unknown[]) => `${JSON.stringify({ id: 'm1', role: 'user', parts })}\n`;
const imagePart = (url: string) => ({ type: 'file', mediaType: 'image/png', filename: 'photo.png', url });

/** ChatGPT's zip of one message that shows an image and has an attachment. */
function chatGptZip(files: Record<string, Buffer>): Buffer {
  const given = conversation(['a', 'b < a']);
  const pointer = { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_0001' };
  const content = { content_type: 'multimodal_text', parts: ['Look', pointer] };
  const attachments = [{ id: 'file-Doc', name: 'notes.md', mime_type: 'text/markdown' }];
  nodeOf(given, 'a').message = message('a', { content, metadata: { attachments } });
  return writeZip({ 'conversations.json': JSON.stringify([given]), ...files });
}

async function partsOf(at: TemporaryDatabase) {
  const [first] = (await onlyChat(at)).messages;
  return first!.data.parts.filter(({ type }) => type === 'file');
}

async function fileRows({ connection: { read }, url }: TemporaryDatabase) {
  type File = { id: string; mediaType: string; size: number };
  type Reference = { fileId: string; name: string | null };
  const files = await read((db) => db.rows<File>(sql`SELECT "id", "mediaType", "size" FROM ${tableAt(url, 'files')}`));
  const references = await read((db) =>
    db.rows<Reference>(sql`
      SELECT r."fileId", r."name" FROM ${tableAt(url, 'message_files')} r
      JOIN ${tableAt(url, 'messages')} m ON m."chatId" = r."chatId" AND m."id" = r."messageId" ORDER BY m."seq", r."position"`),
  );
  return { files: files.map((file) => ({ ...file, size: Number(file.size) })), references };
}

describe('npm run import', () => {
  it('moves long data URLs into files, also those of a message of more than 1 MiB', async () => {
    const to = await database();
    const small = imagePart(dataUrl(PNG));
    const given = saying([imagePart(dataUrl(IMAGE)), imagePart(dataUrl(MEDIUM)), imagePart(dataUrl(IMAGE)), small]);
    const { code, out } = await bring(to, given);
    expect([code, out.join('\n')]).toEqual([0, expect.not.stringContaining('Warnings')]);
    expect(await partsOf(to)).toEqual([
      ...[IMAGE, MEDIUM, IMAGE].map((content) => imagePart(reference(content))),
      small,
    ]);
    const { files, references } = await fileRows(to);
    expect(files.map(({ size }) => size).toSorted((a, b) => a - b)).toEqual([IMAGE.length, MEDIUM.length]);
    expect(references.map(({ fileId }) => fileId)).toEqual([sha256(IMAGE), sha256(MEDIUM), sha256(IMAGE)]);
    const before = await to.allRows();
    expect((await bring(to, given)).out[0]).toContain('1 unchanged');
    expect(await to.allRows()).toEqual(before);
  });

  it.each([
    ['', (text: string) => text],
    [', whose slashes are escaped', (text: string) => text.replaceAll('/', '\\/')],
    [', as an element of an array', (text: string) => `[{"messages": [${text}]}]`],
  ])('moves data URLs of any length into files, twice the same%s', async (_, written) => {
    const to = await database();
    const others = Buffer.concat([PNG, randomBytes(3 * 1024 ** 2)]);
    const parts = [LARGE, others, LARGE].map((content) => imagePart(dataUrl(content)));
    const given = written(saying([...parts, { type: 'text', text: 'after' }]).trim());
    const { code, out } = await bring(to, given);
    expect([code, out.join('\n')]).toEqual([0, expect.not.stringContaining('Warnings')]);
    expect(await partsOf(to)).toEqual([LARGE, others, LARGE].map((content) => imagePart(reference(content))));
    expect((await onlyChat(to)).messages[0]!.data.parts).toContainEqual({ type: 'text', text: 'after' });
    expect((await fileRows(to)).files.map(({ size }) => size).toSorted()).toEqual([LARGE.length, others.length]);
    const before = await to.allRows();
    expect((await bring(to, given)).out[0]).toContain('1 unchanged');
    expect(await to.allRows()).toEqual(before);
  });

  it.each([
    ['beyond the limit of a file', dataUrl(LARGE), { MAX_FILE_BYTES: '2000000' }, 'at most 2000000 bytes'],
    ['that is no base64', `${dataUrl(LARGE)}?`, {}, 'no base64'],
    ['with an escape', `${dataUrl(LARGE)}\n`, {}, 'no base64'],
  ])('never stores the beginning of a data URL %s', async (_, url, environment, reason) => {
    const to = await database();
    const { out } = await bring(to, saying([imagePart(url)]), environment);
    expect(out.join('\n')).toContain('too large');
    expect(out.join('\n')).toContain(reason);
    expect((await fileRows(to)).files).toEqual([]);
  });

  it('ignores a media type that the content contradicts', async () => {
    const zipped = await database();
    await bring(zipped, chatGptZip({ 'file-Doc-notes.md': IMAGE }));
    expect(await partsOf(zipped)).toContainEqual(
      expect.objectContaining({ mediaType: 'image/png', filename: 'notes.md', url: reference(IMAGE) }),
    );
    const inLine = await database();
    await bring(inLine, saying([imagePart(dataUrl(TEXT))]));
    expect([(await fileRows(zipped)).files, (await fileRows(inLine)).files]).toEqual([
      [{ id: sha256(IMAGE), mediaType: 'image/png', size: IMAGE.length }],
      [{ id: sha256(TEXT), mediaType: 'text/plain', size: TEXT.length }],
    ]);
  });

  it('stores the files of a zip of any size once, with their types and names', async () => {
    const to = await database();
    const zip = chatGptZip({ 'file_0001-photo.png': LARGE, 'file-Doc-notes.md': TEXT });
    const { code, out } = await bring(to, zip);
    expect([code, out.join('\n')]).toEqual([0, expect.not.stringContaining('Warnings')]);
    expect(await partsOf(to)).toEqual([
      { type: 'file', mediaType: 'image/png', filename: 'file_0001-photo.png', url: reference(LARGE) },
      { type: 'file', mediaType: 'text/markdown', filename: 'notes.md', url: reference(TEXT) },
    ]);
    const { files, references } = await fileRows(to);
    expect(files).toHaveLength(2);
    expect(files).toContainEqual({ id: sha256(LARGE), mediaType: 'image/png', size: LARGE.length });
    expect(files).toContainEqual({ id: sha256(TEXT), mediaType: 'text/plain', size: TEXT.length });
    expect(references.map(({ name }) => name)).toEqual(['file_0001-photo.png', 'notes.md']);
    const before = await to.allRows();
    expect((await bring(to, zip)).out).toEqual([expect.stringContaining('1 unchanged'), 'Read as ChatGPT.']);
    expect(await to.allRows()).toEqual(before);
  });

  it('writes a conversation of several steps with its files', async () => {
    const to = await database();
    const images = Array.from({ length: 300 }, (_, n) => Buffer.concat([IMAGE, Buffer.from(`${n}`)]));
    const lines = images.map((image, n) => ({ id: `m${n}`, role: 'user', parts: [imagePart(dataUrl(image))] }));
    await bring(to, lines.map((line) => JSON.stringify(line)).join('\n'));
    const { references } = await fileRows(to);
    expect(references).toHaveLength(300);
    expect(references.map(({ fileId }) => fileId)).toEqual(images.map((image) => sha256(image)));
  });

  it('replaces a message with more than 256 references by a placeholder', async () => {
    const to = await database();
    const parts = (count: number) => Array.from({ length: count }, () => imagePart(dataUrl(IMAGE)));
    const lines = [parts(256), parts(257)].map((each, n) => ({ id: `m${n}`, role: 'user', parts: each }));
    const { out } = await bring(to, lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(out.join('\n')).toContain('a placeholder');
    const [first, second] = (await onlyChat(to)).messages;
    expect(first!.data.parts).toHaveLength(256);
    expect(second!.data.parts).toEqual([
      {
        type: 'text',
        text: '[Left out when this conversation was imported: a message must refer to at most 256 files, not 257]',
      },
    ]);
    expect((await fileRows(to)).references).toHaveLength(256);
  });

  it('reports files beyond the limit of a user, and missing and damaged ones', async () => {
    const to = await database();
    const limit = { MAX_USER_FILE_BYTES: String(1024 ** 2) };
    const first = await bring(to, chatGptZip({ 'file_0001-photo.png': LARGE, 'file-Doc-notes.md': TEXT }), limit);
    expect(first.out.join('\n')).toMatch(/1 of its files is not stored, .*MAX_USER_FILE_BYTES/);
    expect((await partsOf(to)).map((part) => (part as { url?: string }).url)).toEqual([
      'sediment://file_0001',
      reference(TEXT),
    ]);
    const other = await database();
    const zip = chatGptZip({ 'file_0001-photo.png': LARGE });
    zip[zip.indexOf('file_0001-photo.png') + 1_000]! ^= 1;
    const { out } = await bring(other, zip);
    expect(out.join('\n')).toMatch(/1 of its files is not in the zip.*file-Doc/);
    expect(out.join('\n')).toMatch(/1 of its files is not stored, .*damaged/);
    expect((await fileRows(other)).files).toEqual([]);
  });
});

describe('POST /import', () => {
  it('stores files for the user, who reads them at once', async () => {
    const server = await startFileServer({ filesUrl: `file:${temporaryFolder()}` });
    const [ann, bob] = [await server.as('ann'), await server.as('bob')];
    const zip = chatGptZip({ 'file_0001-photo.png': LARGE, 'file-Doc-notes.md': TEXT });
    const report = await ann.bring(zip);
    expect(report.at(-1)).toMatchObject({ totals: { conversations: { imported: 1, failed: 0 }, warnings: 0 } });
    const read = await ann.get(`/files/${sha256(LARGE)}`);
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await read.arrayBuffer()).equals(LARGE)).toBe(true);
    expect((await bob.get(`/files/${sha256(LARGE)}`)).status).toBe(404);
    expect(server.unexpectedErrors).toEqual(new Map());
  });
});
