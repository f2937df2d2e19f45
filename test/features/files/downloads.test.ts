/** How files are read: ranges, caches, types and signed URLs, over sockets. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { MessageFiles } from '../../../src/features/files/message-files.js';
import { SIGNED_FOR_SECONDS } from '../../../src/features/files/routes/signed-urls.js';
import { PNG, sha256, startFileServer, withFile } from './file-server.js';

/** A server whose chat `a` of ann has a message with this file. */
async function serverWith(content: Uint8Array<ArrayBuffer>, mediaType: string, name = 'file') {
  const server = await startFileServer();
  const ann = await server.as('ann');
  await ann.createChat('a');
  await ann.upload(content, { mediaType });
  await ann.save('a', 'm', withFile(`parley:file:${sha256(content)}`, name));
  const fileId = sha256(content);
  const url = `/files/${fileId}?message=m`;
  return { server, ann, fileId, url };
}

const TEXT = Buffer.from('0123456789');

describe('a download', () => {
  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=5-999', 206, '56789', 'bytes 5-9/10'],
    ['bytes=0-1,8-9', 200, '0123456789', null],
    ['chapters=1-2', 200, '0123456789', null],
    ['bytes=x', 200, '0123456789', null],
  ])('of the range %s has the status %d', async (range, status, text, contentRange) => {
    const { ann, url } = await serverWith(TEXT, 'text/plain');
    const answer = await ann.get(url, { range });
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  it('of a range beyond the end is refused with the size', async () => {
    const { ann, url } = await serverWith(TEXT, 'text/plain');
    const answer = await ann.get(url, { range: 'bytes=10-' });
    expect([answer.status, answer.headers.get('content-range')]).toEqual([416, 'bytes */10']);
  });

  it('of a cached file is answered with 304, and a range only of the same content', async () => {
    const { ann, url, fileId } = await serverWith(TEXT, 'text/plain');
    expect((await ann.get(url, { 'if-none-match': `W/"${fileId}", "other"` })).status).toBe(304);
    expect((await ann.get(url, { 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ann.get(url, { range: 'bytes=0-1', 'if-range': `"${fileId}"` })).status).toBe(206);
    expect((await ann.get(url, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
  });

  it.each([
    ['<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'image/svg+xml', 'attachment'],
    ['<!doctype html><script>alert(1)</script>', 'text/html', 'inline'],
    ['%PDF-1.7\n', 'application/pdf', 'attachment'],
    ['Hello', 'text/plain', 'inline'],
  ])('of %s executes nothing', async (text, mediaType, disposition) => {
    const { ann, url } = await serverWith(Buffer.from(text), mediaType, 'Bild "→".x');
    const { headers } = await ann.get(url);
    expect(headers.get('content-disposition')).toBe(
      `${disposition}; filename="Bild \\"?\\".x"; filename*=UTF-8''Bild%20%22%E2%86%92%22.x`,
    );
    expect(headers.get('content-type')).toBe(mediaType.startsWith('text/') ? 'text/plain; charset=utf-8' : mediaType);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("sandbox; default-src 'none'");
  });

  it('is saved by the browser on request', async () => {
    const { ann, url } = await serverWith(PNG, 'image/png', 'photo.png');
    expect((await ann.get(`${url}&download=true`)).headers.get('content-disposition')).toMatch(/^attachment/);
  });

  it('needs a valid id and a token', async () => {
    const { server, ann } = await serverWith(PNG, 'image/png');
    expect((await ann.get('/files/..%2f..%2fetc%2fpasswd')).status).toBe(400);
    expect((await ann.get(`/files/${'0'.repeat(64)}`)).status).toBe(404);
    expect((await fetch(server.at(`/files/${sha256(PNG)}`))).status).toBe(401);
    expect((await ann.get(`/files/${sha256(PNG)}/extra`)).status).toBe(400);
  });
});

describe('a download whose client stops reading', () => {
  /** Opens a download of more than the buffers of the system hold, whose socket does not read after its first bytes. */
  async function stall() {
    const content = Buffer.alloc(16 * 1024 ** 2);
    const { server, ann, url } = await serverWith(content, 'application/octet-stream');
    const read = vi.spyOn(MessageFiles.prototype, 'read');
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => {
      vi.useRealTimers();
      read.mockRestore();
    });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`GET ${url} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${ann.token}\r\nconnection: close\r\n\r\n`);
    await once(socket, 'readable');
    const opened = (await read.mock.results[0]!.value) as Readable;
    return { server, socket, opened, size: content.length };
  }

  it('ends when a minute passes below the minimum rate, and releases the content', async () => {
    const { server, opened } = await stall();
    await expect
      .poll(() => {
        vi.advanceTimersByTime(60_000);
        return opened.closed;
      })
      .toBe(true);
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it('continues when the minute had enough bytes', async () => {
    const { socket, size } = await stall();
    vi.advanceTimersByTime(60_000);
    let received = 0;
    socket.on('data', (chunk: Buffer) => (received += chunk.length));
    await once(socket, 'end');
    expect(received).toBeGreaterThan(size);
  });
});

describe('a signed URL', () => {
  it('opens a file without a token, for one to two hours', async () => {
    const { server, ann, fileId } = await serverWith(PNG, 'image/png');
    const { body } = await ann.links([
      { fileId, messageId: 'm' },
      { fileId: '0'.repeat(64), messageId: 'm' },
    ]);
    const [link, unknown] = body['links'] as { url: string; expiresAt: number }[];
    expect(unknown).toMatchObject({ url: null, expiresAt: null });
    const status = async (url = link?.url ?? '') => (await fetch(server.at(url))).status;
    expect(await status()).toBe(200);
    expect(link!.expiresAt - Date.now()).toBeGreaterThan(SIGNED_FOR_SECONDS * 1000 - 60_000);
    expect(link!.expiresAt - Date.now()).toBeLessThanOrEqual(2 * SIGNED_FOR_SECONDS * 1000);
    for (const forged of [
      link!.url.replace('user=ann', 'user=bob'),
      link!.url.replace('message=m', 'message=n'),
      link!.url.replace(/expires=\d+/, 'expires=99999999999'),
      `${link!.url}&admin=true`,
      link!.url.replace(fileId, '0'.repeat(64)),
      link!.url.replace(/signature=.{3}/, 'signature=AAA'),
    ]) {
      expect([forged, await status(forged)]).toEqual([forged, 403]);
    }
    vi.useFakeTimers({ now: link!.expiresAt + 1, toFake: ['Date'] });
    try {
      expect(await status()).toBe(403);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends with the rights of its viewer', async () => {
    const { server, ann, fileId } = await serverWith(PNG, 'image/png');
    const { body } = await ann.links([{ fileId, messageId: 'm' }]);
    const [link] = body['links'] as { url: string }[];
    await ann.ask('mutation { deleteChat(input: { chatId: "a" }) { __typename } }');
    expect((await fetch(server.at(link!.url))).status).toBe(404);
  });

  it('exists for readable files only', async () => {
    const { server, fileId } = await serverWith(PNG, 'image/png');
    const bob = await server.as('bob');
    const { body } = await bob.links([{ fileId, messageId: 'm' }]);
    expect(body['links']).toEqual([{ fileId, messageId: 'm', url: null, expiresAt: null }]);
    expect((await bob.links([])).status).toBe(400);
    expect((await bob.links([{ fileId, messageId: 'm'.repeat(300_000) }])).status).toBe(413);
  });
});
