/** Files of a real server, over HTTP. */
import { expect, test } from 'vitest';
import { PNG, sha256, startFileServer, withFile } from '../../../test/features/files/file-server.js';
import { startListening } from '../../../test/support/server/listening-server.js';
import { startProxy } from '../../../test/support/server/tcp-proxy.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { AUTH, bearer } from '../../../test/support/server/tokens.js';
import { RequestError, UnreachableError } from '../src/client.js';
import { createFiles, referencedFileId, type Files, type UploadProgress } from '../src/files/files.js';

const tokenOf = async (userId: string) => (await bearer(userId)).authorization.replace('Bearer ', '');

/** The files of a user, and the requests about them. */
function filesOf(url: string, userId: string): { files: Files; requests: URL[] } {
  const requests: URL[] = [];
  const files = createFiles({
    url,
    token: () => tokenOf(userId),
    retryDelay: () => 10,
    fetch: (address, init) => {
      requests.push(new URL(address as string));
      return fetch(address, init);
    },
  });
  return { files, requests };
}

/** A server on which Ann has sent a message with an image. */
async function startWithPhoto() {
  const server = await startFileServer();
  const ann = await server.as('ann');
  await ann.createChat('a');
  const { files, requests } = filesOf(server.url, 'ann');
  const photo = await files.uploadFile(new File([PNG], 'photo.png', { type: 'image/png' }));
  await ann.save('a', 'm', withFile(photo.reference));
  return { server, ann, photo, files, requests };
}

/** Bytes that no media type begins with. */
const bytesOf = (size: number) => new Uint8Array(size).map((_, n) => n % 251);

test('a file is uploaded, and read with the token as a Blob and an object URL', async () => {
  const { server, photo, files } = await startWithPhoto();
  const id = sha256(PNG);
  const stored = { id, name: 'photo.png', mediaType: 'image/png', size: PNG.length, reference: `parley:file:${id}` };
  expect(photo).toEqual(stored);
  expect([referencedFileId(photo.reference), referencedFileId(id), referencedFileId({})]).toEqual([id, null, null]);
  for (const file of [photo.reference, photo.id]) {
    expect(files.fileUrl(file, 'm n')).toBe(server.at(`/files/${id}?message=m+n`));
    const blob = await files.fetchFile(file, 'm');
    expect([blob.type, Buffer.from(await blob.arrayBuffer())]).toEqual(['image/png', PNG]);
  }
  const { url, release } = await files.objectUrl(photo.reference, 'm');
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(PNG);
  release();
  await expect(fetch(url)).rejects.toThrow();
  expect(() => files.fileUrl('https://elsewhere.example/a.png', 'm')).toThrow(TypeError);
});

test('signed URLs need no token, and are null for a file that the viewer may not read', async () => {
  const { server, photo, files, requests } = await startWithPhoto();
  const others = Array.from({ length: 100 }, (_, n) => ({ file: photo.id, messageId: `unknown-${n}` }));
  const before = requests.length;
  const [signed, ...unknown] = await files.signedUrls([{ file: photo.reference, messageId: 'm' }, ...others]);
  expect(unknown).toEqual(others.map(() => null));
  expect(requests.length - before).toBe(2);
  expect(signed?.expiresAt).toBeGreaterThan(Date.now() + 3_500_000);
  expect(Buffer.from(await (await fetch(signed?.url ?? '')).arrayBuffer())).toEqual(PNG);
  expect(await filesOf(server.url, 'bob').files.signedUrl(photo.id, 'm')).toBeNull();
});

test('the signed URLs of one rendering share a request, and later ones need none', async () => {
  const { ann, photo, files, requests } = await startWithPhoto();
  await ann.save('a', 'n', withFile(photo.reference));
  const before = requests.length;
  const render = () => Promise.all(['m', 'n'].map((messageId) => files.signedUrl(photo.reference, messageId)));
  const urls = await render();
  expect(urls.map((signed) => new URL(signed?.url ?? '').searchParams.get('message'))).toEqual(['m', 'n']);
  expect(await render()).toEqual(urls);
  expect(requests.length - before).toBe(1);
});

test('an upload continues where the connection broke', async () => {
  const server = await startFileServer({ filesUrl: `file:${temporaryFolder()}` });
  const { hostname, port } = new URL(server.url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const { files, requests } = filesOf(`http://127.0.0.1:${proxy.port}/graphql`, 'ann');
  const content = bytesOf(20_000_000);
  const progress: UploadProgress[] = [];
  proxy.cutAfter(8_000_000);
  const stored = await files.uploadFile(new Blob([content]), { onProgress: (each) => progress.push(each) });
  expect(stored).toMatchObject({ id: sha256(content), name: null, mediaType: 'application/octet-stream' });
  const offsets = requests.map((url) => url.searchParams.get('offset')).filter((offset) => offset !== null);
  expect(offsets[0]).toBe('0');
  const last = Number(offsets.at(-1));
  expect(last).toBeGreaterThan(1_000_000);
  expect(last).toBeLessThan(9_000_000);
  expect(progress).toContainEqual({ bytes: last, of: content.length });
  expect(progress.at(-1)).toEqual({ bytes: content.length, of: content.length });
});

test('an upload without a server fails after 8 attempts', async () => {
  const server = await startListening();
  await server.stop();
  const { files, requests } = filesOf(server.url, 'ann');
  await expect(files.uploadFile(new Blob([PNG]))).rejects.toThrow(UnreachableError);
  expect(requests).toHaveLength(8);
});

test('an upload that makes no progress fails after 8 attempts', async () => {
  let attempts = 0;
  const leaving = new AbortController();
  const files = createFiles({
    url: 'http://127.0.0.1/graphql',
    retryDelay: () => 0,
    fetch: (_address, init) => {
      if (init?.method !== 'POST') return Promise.resolve(Response.json({ offset: 1_000 }));
      if (++attempts === 20) leaving.abort();
      return Promise.reject(new TypeError('fetch failed'));
    },
  });
  const { signal } = leaving;
  await expect(files.uploadFile(new Blob([bytesOf(2 * 1024 ** 2)]), { signal })).rejects.toThrow(UnreachableError);
  expect(attempts).toBe(8);
});

test('the type of a Blob may be wrong, and the given type must be right', async () => {
  const server = await startFileServer();
  const { files } = filesOf(server.url, 'ann');
  const renamed = new File([PNG], 'photo.jpg', { type: 'image/jpeg' });
  expect(await files.uploadFile(renamed)).toMatchObject({ name: 'photo.jpg', mediaType: 'image/png' });
  expect(await files.uploadFile(new File(['# A'], 'a.md', { type: 'text/markdown' }))).toMatchObject({
    mediaType: 'text/plain',
  });
  await expect(files.uploadFile(renamed, { mediaType: 'image/jpeg' })).rejects.toMatchObject({
    constructor: RequestError,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The content is image/png, not image/jpeg',
  });
});

test('a large file beyond a limit is refused before its bytes are sent', async () => {
  const filesUrl = `file:${temporaryFolder()}`;
  const server = await startFileServer({ filesUrl, limits: { maxFileBytes: 1_000_000 } });
  const { files, requests } = filesOf(server.url, 'ann');
  await expect(files.uploadFile(new Blob([bytesOf(20_000_000)]))).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: 'A file may have at most 1000000 bytes, not 20000000',
  });
  expect(requests.map((url) => url.searchParams.get('offset'))).toEqual([null]);
});

test('a refusal has a code and names the limit, and an aborted upload its reason', async () => {
  const server = await startListening({ auth: AUTH, limits: { maxFileBytes: 1_000 } });
  const { files, requests } = filesOf(server.url, 'ann');
  await expect(files.uploadFile(new Blob([bytesOf(1_001)]))).rejects.toMatchObject({
    constructor: RequestError,
    code: 'PAYLOAD_TOO_LARGE',
    message: 'A file may have at most 1000 bytes, not 1001',
  });
  await expect(files.uploadFile(new Blob([PNG]), { name: 'a/b' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(files.uploadFile(new Blob([]))).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(files.fetchFile(sha256(PNG), 'm')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(requests).toHaveLength(4);
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(files.uploadFile(new Blob([PNG]), { signal })).rejects.toThrow('enough');
  expect(requests).toHaveLength(4);
});

test('an upload starts over when its requests reach two servers, and only the first has its beginning', async () => {
  const filesUrl = `file:${temporaryFolder()}`;
  const first = await startFileServer({ filesUrl });
  const second = await startFileServer({ filesUrl, databaseUrl: first.databaseUrl });
  const content = bytesOf(2 * 1024 ** 2);
  const [size, id] = [String(content.length), sha256(content)];
  const begin = await (await first.as('ann')).upload(content.subarray(0, 1000), { sha256: id, size });
  expect(begin.body).toMatchObject({ errors: [{ message: `The body ended after 1000 of ${size} bytes` }] });
  const origins = [first, second].map(({ url }) => new URL(url).origin);
  const requests: string[] = [];
  const files = createFiles({
    url: first.url,
    token: () => tokenOf('ann'),
    retryDelay: () => 0,
    // As a load balancer does.
    fetch: (address, init) => {
      const { href, searchParams } = new URL(address as string);
      const turn = requests.length % 2;
      requests.push(`${turn} ${init?.method ?? 'GET'} ${searchParams.get('offset')}`);
      return fetch(href.replace(origins[0]!, origins[turn]!), init);
    },
  });
  expect(await files.uploadFile(new Blob([content]))).toMatchObject({ id, size: content.length });
  expect(requests).toEqual(['0 GET null', '1 POST 1000', '0 GET null', '1 POST 1000', '0 POST 0']);
});
