/** Accepted uploads, and the continuation of interrupted ones, over sockets. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bearer } from '../../support/server/tokens.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { PNG, sha256, startFileServer, withFile } from './file-server.js';

const MIB = 1024 ** 2;
const EMPTY_ZIP = Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(200)]);

async function serverOfAnn(options: Parameters<typeof startFileServer>[0] = {}) {
  const server = await startFileServer(options);
  return { server, ann: await server.as('ann') };
}

describe('an upload', () => {
  it.each<[string, Uint8Array<ArrayBuffer> | string, Record<string, string>, number, string]>([
    ['an empty file', '', {}, 400, 'The file is empty'],
    ['a path as its name', PNG, { name: '../photo.png' }, 400, 'without a path'],
    ['a path of Windows as its name', PNG, { name: '..\\photo.png' }, 400, 'without a path'],
    ['a broken media type', PNG, { mediaType: 'png' }, 400, 'media type such as image/png'],
    [
      'another media type than its content',
      PNG,
      { mediaType: 'application/pdf' },
      415,
      'image/png, not application/pdf',
    ],
    ['a text as an image', 'Hello', { mediaType: 'image/png' }, 415, 'text/plain, not image/png'],
    ['a zip as a PDF', EMPTY_ZIP, { mediaType: 'application/pdf' }, 415, 'application/zip, not application/pdf'],
    ['bytes as a text', Buffer.from([0, 1, 2, 255]), { mediaType: 'text/plain' }, 415, 'octet-stream, not text/plain'],
    ['another hash', PNG, { sha256: '0'.repeat(64) }, 400, `SHA-256 ${sha256(PNG)}`],
    ['a malformed hash', PNG, { sha256: 'abc' }, 400, '64 hex digits'],
    ['too few bytes', PNG, { size: String(PNG.length + 1) }, 400, `after ${PNG.length} of ${PNG.length + 1} bytes`],
    ['too many bytes', PNG, { size: '1' }, 400, `has ${PNG.length} bytes, not 1`],
    ['an offset without a hash', PNG, { offset: '5' }, 400, 'offset needs sha256'],
    ['an offset that the server has not', PNG, { offset: '5', sha256: sha256(PNG) }, 409, 'has 0 bytes'],
    ['an unknown parameter', PNG, { folder: 'a' }, 400, 'no parameter "folder"'],
  ])('with %s is refused, and nothing is stored', async (_, content, parameters, status, message) => {
    const { ann } = await serverOfAnn();
    const answer = await ann.upload(content, parameters);
    expect([answer.status, answer.body]).toEqual([
      status,
      { errors: [expect.objectContaining({ message: expect.stringContaining(message) as unknown })] },
    ]);
    await ann.createChat('a');
    const reference = `parley:file:${sha256(content)}`;
    expect(await ann.save('a', 'm', withFile(reference))).toMatchObject({ __typename: 'InvalidInputError' });
  });

  it('has the type of its content, whatever its client and earlier ones declared', async () => {
    const { server, ann } = await serverOfAnn();
    const typeOf = async (content: string, mediaType?: string) =>
      (await ann.upload(content, mediaType === undefined ? {} : { mediaType })).body['mediaType'];
    expect(await typeOf('%PDF-1.7\n')).toBe('application/pdf');
    expect(await typeOf('Hello')).toBe('text/plain');
    expect(await typeOf('{"a":1}', 'application/json')).toBe('text/plain');
    expect(await typeOf('BMI,weight', 'text/csv')).toBe('text/plain');
    expect(await typeOf('<p>Hello</p>', 'text/html')).toBe('text/plain');
    expect(await typeOf('<?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg"/>')).toBe(
      'image/svg+xml',
    );
    expect(await typeOf('<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')).toBe('image/svg+xml');
    const bob = await server.as('bob');
    const html = await bob.upload('<p>Hello</p>', { mediaType: 'text/x-markdown' });
    expect(html.body['mediaType']).toBe('text/plain');
  });

  it('has limits for a file, a user and the server', async () => {
    const limits = { maxFileBytes: 2 * MIB, maxUserFileBytes: 3 * MIB, maxTotalFileBytes: 4 * MIB };
    const { server, ann } = await serverOfAnn({ limits });
    const bob = await server.as('bob');
    const content = (fill: number, size: number) => Buffer.alloc(size, fill);
    const status = async (viewer: typeof ann, fill: number, size: number) => {
      const { status, body } = await viewer.upload(content(fill, size));
      return [status, (body as { errors?: { message: string }[] }).errors?.[0]?.message ?? ''];
    };
    expect(await status(ann, 1, 2 * MIB + 1)).toEqual([
      413,
      `A file may have at most ${2 * MIB} bytes, not ${2 * MIB + 1}`,
    ]);
    expect(await status(ann, 2, 2 * MIB)).toEqual([201, '']);
    expect(await status(ann, 3, 2 * MIB)).toEqual([413, expect.stringContaining('MAX_USER_FILE_BYTES')]);
    // A file counts once.
    const again = content(2, 2 * MIB);
    expect((await ann.upload(again, { sha256: sha256(again) })).status).toBe(201);
    expect(await status(bob, 4, 2 * MIB)).toEqual([201, '']);
    expect(await status(bob, 5, MIB)).toEqual([413, expect.stringContaining('MAX_TOTAL_FILE_BYTES')]);
    // Without a body.
    const state = async (size: number) => (await bob.get(`/files?sha256=${'0'.repeat(64)}&size=${size}`)).status;
    expect([await state(MIB), await state(-1), await state(2 * MIB + 1)]).toEqual([413, 400, 413]);
  });

  it('continues where it broke off, for its user alone', async () => {
    const { server, ann } = await serverOfAnn();
    const bob = await server.as('bob');
    const content = Buffer.alloc(3 * MIB, 'parley');
    const hash = sha256(content);
    await breakOff(server.at('/'), hash, content.subarray(0, 2 * MIB), content.length);
    const offset = async (viewer: typeof ann) =>
      ((await (await viewer.get(`/files?sha256=${hash}`)).json()) as { offset: number }).offset;
    await expect.poll(() => offset(ann)).toBeGreaterThan(0);
    const rest = { sha256: hash, size: String(content.length) };
    // It also ends the earlier request, which may still be arriving.
    expect((await ann.upload(content.subarray(1), { ...rest, offset: '1' })).status).toBe(409);
    const reached = await offset(ann);
    expect(await offset(bob)).toBe(0);
    expect((await bob.upload(content.subarray(reached), { ...rest, offset: String(reached) })).status).toBe(409);
    const whole = await ann.upload(content.subarray(reached), { ...rest, offset: String(reached) });
    expect(whole.body).toMatchObject({ id: hash, size: content.length });
    expect(await (await ann.get(`/files?sha256=${hash}`)).json()).toEqual({ isStored: true, offset: 0 });
    expect(await (await bob.get(`/files?sha256=${hash}`)).json()).toEqual({ isStored: false, offset: 0 });
  });

  it('is refused while the storage is unavailable, without its details', async () => {
    const folder = temporaryFolder();
    const lines: string[] = [];
    const log = (line: string) => void lines.push(line);
    const { ann } = await serverOfAnn({ filesUrl: `file:${folder}/files`, log });
    // A file in place of the subfolder of its hash.
    writeFileSync(join(folder, 'files', sha256(PNG).slice(0, 2)), '');
    const answer = await ann.upload(PNG);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([503, expect.not.stringContaining(folder)]);
    expect(lines).toEqual([expect.stringContaining(folder)]);
  });

  it('does not disturb another of the same content', async () => {
    const { ann } = await serverOfAnn();
    const content = Buffer.alloc(3 * MIB, 'same');
    const uploads = await Promise.all(
      Array.from({ length: 5 }, () => ann.upload(content, { sha256: sha256(content) })),
    );
    expect(uploads.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  });

  it('answers the same whether the content exists or not', async () => {
    const { server, ann } = await serverOfAnn();
    const bob = await server.as('bob');
    const first = await ann.upload(PNG, { name: 'a.png' });
    const second = await bob.upload(PNG, { name: 'a.png' });
    expect([second.status, second.body]).toEqual([first.status, first.body]);
  });
});

describe('a message', () => {
  it('may refer to 256 files, and to no foreign, unknown or malformed one', async () => {
    const { ann } = await serverOfAnn();
    await ann.createChat('a');
    await ann.upload(PNG);
    const reference = `parley:file:${sha256(PNG)}`;
    const parts = (count: number) => ({
      parts: Array.from({ length: count }, () => ({ type: 'file', url: reference })),
    });
    expect((await ann.save('a', 'full', parts(256))).messages?.[0]?.files).toHaveLength(256);
    expect((await ann.save('a', 'more', parts(257))).message).toContain('at most 256 files, not 257');
    expect((await ann.save('a', 'many', parts(10_000))).message).toContain('at most 256 files, not 10000');
    const unknown = await ann.save('a', 'unknown', withFile(`parley:file:${'0'.repeat(64)}`));
    expect(unknown.message).toContain('neither uploaded nor received');
    // Not a reference, but a text like any other.
    expect((await ann.save('a', 'text', withFile('parley:file:../../etc/passwd'))).messages?.[0]?.files).toEqual([]);
    const text = { parts: [{ type: 'text', text: `parley:file:${'0'.repeat(64)}` }] };
    expect((await ann.save('a', 'words', text)).messages?.[0]?.files).toEqual([]);
  });
});

it('a message may have as many elements as its size allows', async () => {
  const { ann } = await serverOfAnn();
  await ann.createChat('a');
  const data = Array.from({ length: 400_000 }, () => 1);
  expect(await ann.save('a', 'm', data)).toMatchObject({ __typename: 'SaveMessagesPayload' });
});

/** Sends the beginning of an upload by ann, and closes the connection. */
async function breakOff(url: string, hash: string, beginning: Uint8Array, size: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const { authorization } = await bearer('ann');
  const socket = connect(Number(port), hostname);
  // The server may reset it: the test continues the upload on another connection.
  socket.on('error', () => {});
  socket.write(
    [
      `POST /files?sha256=${hash}&size=${size} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      `authorization: ${authorization}`,
      'content-type: application/octet-stream',
      `content-length: ${size}`,
      '',
      '',
    ].join('\r\n'),
  );
  await new Promise<void>((resolve, reject) => socket.write(beginning, (error) => (error ? reject(error) : resolve())));
  socket.end();
}
