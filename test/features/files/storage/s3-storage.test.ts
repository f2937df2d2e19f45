import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openFileStorage } from '../../../../src/features/files/open-files.js';
import { noSwift, startSwift, type SwiftServer } from '../../../support/server/swift.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const CONTENT = randomBytes(1000);

function keyOf(content: Buffer): string {
  const hash = createHash('sha256').update(content).digest('hex');
  return `${hash.slice(0, 2)}/${hash}-${randomUUID()}`;
}

function sourceOf(content: Buffer): string {
  const path = join(temporaryFolder(), 'source');
  writeFileSync(path, content);
  return path;
}

const urlOf = (bucket: string, endpoint: string) =>
  `s3://${bucket}/prefix?${new URLSearchParams({ endpoint, region: 'us-east-1' }).toString()}`;

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test:tester');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'testing');
  return () => vi.unstubAllEnvs();
});

describe(`errors of S3${noSwift}`, () => {
  let swift: SwiftServer;
  beforeAll(async () => {
    if (noSwift === '') swift = await startSwift();
  });
  afterAll(async () => {
    if (noSwift === '') await swift.close();
  });
  beforeEach(({ skip }) => skip(noSwift !== '', noSwift));

  it('verifies the hash in the key', async () => {
    const storage = await openFileStorage(urlOf(swift.bucket, swift.endpoint));
    const key = keyOf(randomBytes(1000));
    await expect(storage.put(key, sourceOf(CONTENT), 1000)).rejects.toMatchObject({ fault: 'BROKEN' });
    await expect(storage.read(key, { start: 0, end: 0 })).rejects.toMatchObject({ fault: 'MISSING' });
  });

  it('names the bucket that does not exist', async () => {
    const storage = await openFileStorage(urlOf('another-bucket', swift.endpoint));
    const failure = {
      fault: 'UNAVAILABLE',
      message: expect.stringContaining(
        `The bucket another-bucket at ${swift.endpoint} failed: NoSuchBucket: `,
      ) as string,
    };
    await expect(storage.put(keyOf(CONTENT), sourceOf(CONTENT), 1000)).rejects.toMatchObject(failure);
    await expect(storage.read(keyOf(CONTENT), { start: 0, end: 0 })).rejects.toMatchObject(failure);
  });

  it('reports wrong credentials without the secret', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a wrong secret');
    const storage = await openFileStorage(urlOf(swift.bucket, swift.endpoint));
    const error = await storage.put(keyOf(CONTENT), sourceOf(CONTENT), 1000).catch((error: unknown) => error);
    expect(error).toMatchObject({
      fault: 'DENIED',
      message: expect.stringContaining(
        `The bucket parley at ${swift.endpoint} failed: SignatureDoesNotMatch`,
      ) as string,
    });
    expect(JSON.stringify([error, String(error), (error as Error).stack])).not.toContain('a wrong secret');
  });
});

describe('a server that is not S3', () => {
  async function listen(answer: string | null): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      if (answer === null) socket.destroy();
      else socket.once('data', () => socket.end(answer));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('is unavailable when it closes connections', async () => {
    const storage = await openFileStorage(urlOf('parley', await listen(null)));
    const failure = { fault: 'UNAVAILABLE', message: expect.stringContaining('The bucket parley at http:') as string };
    await expect(storage.read(keyOf(CONTENT), { start: 0, end: 0 })).rejects.toMatchObject(failure);
    await expect(storage.put(keyOf(CONTENT), sourceOf(CONTENT), 1000)).rejects.toMatchObject(failure);
    await expect(storage.remove(keyOf(CONTENT))).rejects.toMatchObject(failure);
  });

  it('fails while it is read when the connection ends early', async () => {
    const head = 'HTTP/1.1 206 Partial Content\r\nContent-Length: 1000\r\nContent-Range: bytes 0-999/1000\r\n\r\n';
    const storage = await openFileStorage(urlOf('parley', await listen(`${head}only this`)));
    const content = await storage.read(keyOf(CONTENT), { start: 0, end: 999 });
    await expect(content.toArray()).rejects.toMatchObject({ fault: 'UNAVAILABLE' });
  });

  it('serves 192 reads at once, 48 of a user: further ones wait for one to end, then for ten seconds', async () => {
    const head = 'HTTP/1.1 206 Partial Content\r\nContent-Length: 1000\r\nContent-Range: bytes 0-999/1000\r\n\r\n';
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(`${head}a part`));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const url = urlOf('parley', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const storage = await openFileStorage(url);
    onTestFinished(() => storage.close?.());
    const read = (userId: string) => storage.read(keyOf(CONTENT), { start: 0, end: 999 }, { userId });
    const busy = {
      fault: 'BUSY',
      message: 'The storage of files serves 192 downloads at once, 48 of a user: retry later',
    };
    const ofAnn = await Promise.all(Array.from({ length: 48 }, () => read('ann')));
    const next = read('ann');
    // Other users do not wait for ann.
    const ofOthers = await Promise.all(Array.from({ length: 144 }, (_, n) => read(`user${n % 3}`)));
    ofAnn[0]!.destroy();
    ofAnn[0] = await next;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const beyondAll = read('dave');
    ofOthers[0]!.destroy();
    ofOthers[0] = await beyondAll;
    const refused = ['ann', 'dave'].map((userId) => expect(read(userId)).rejects.toMatchObject(busy));
    vi.advanceTimersByTime(10_000);
    await Promise.all(refused);
    for (const content of [...ofAnn, ...ofOthers]) content.destroy();
  });

  it('fails when it ignores the range', async () => {
    const storage = await openFileStorage(
      urlOf('parley', await listen('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfour')),
    );
    await expect(storage.read(keyOf(CONTENT), { start: 1, end: 2 })).rejects.toMatchObject({ fault: 'BROKEN' });
  });
});
