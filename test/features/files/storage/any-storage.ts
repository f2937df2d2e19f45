/** The behaviour of every storage of files. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createReadStream, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { ExactBytes } from '../../../../src/features/files/storage/exact-bytes.js';
import type { FileStorage } from '../../../../src/files/file-storage.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const MIB = 1024 ** 2;

/** A file on disk, as an upload leaves it. */
interface Source {
  path: string;
  key: string;
  size: number;
}

export interface Fixture {
  storage: FileStorage;
  /** Shortens a stored content to its first bytes. */
  shorten(key: string, content: Buffer): Promise<void>;
}

/** Tests a storage that is new for each test. */
export function testStorage(create: () => Promise<Fixture>): void {
  let fixture: Fixture;
  let storage: FileStorage;
  beforeEach(async () => {
    fixture = await create();
    storage = fixture.storage;
  });

  async function stored(content: Buffer): Promise<string> {
    const { key, path, size } = sourceOf(content);
    await storage.put(key, path, size);
    return key;
  }

  it('returns the content as it was stored', async () => {
    const content = randomBytes(300_000);
    const key = await stored(content);
    expect(await contentOf(storage, key, content.length)).toEqual(content);
  });

  it('stores a file of its temporary folder, which its caller deletes', async () => {
    const content = randomBytes(1000);
    const { key, path, size } = sourceOf(content, storage.temporaryFolder);
    await storage.put(key, path, size);
    truncateSync(path, 1000);
    expect(await contentOf(storage, key, size)).toEqual(content);
  });

  it.each([
    [0, 0],
    [0, 99],
    [1, 1],
    [65_530, 65_545],
    [199_999, 199_999],
  ])('returns bytes %i to %i', async (start, end) => {
    const content = randomBytes(200_000);
    const key = await stored(content);
    expect(await buffer(await storage.read(key, { start, end }))).toEqual(content.subarray(start, end + 1));
  });

  it('stores an empty file', async () => {
    const key = await stored(Buffer.alloc(0));
    expect(await contentOf(storage, key, 0)).toEqual(Buffer.alloc(0));
  });

  it('removes a content, and ignores a second removal', async () => {
    const key = await stored(randomBytes(10));
    await storage.remove(key);
    await storage.remove(key);
    await expect(storage.read(key, { start: 0, end: 9 })).rejects.toMatchObject({ fault: 'MISSING' });
  });

  it('returns the size of a content, and null when it is missing', async () => {
    const content = randomBytes(1000);
    const key = await stored(content);
    expect(await storage.size(key)).toBe(1000);
    await fixture.shorten(key, content.subarray(0, 500));
    expect(await storage.size(key)).toBe(500);
    await storage.remove(key);
    expect(await storage.size(key)).toBeNull();
  });

  it('fails for a key that was never stored, and removes it without an error', async () => {
    const { key } = sourceOf(randomBytes(10));
    await storage.remove(key);
    await expect(storage.read(key, { start: 0, end: 9 })).rejects.toMatchObject({
      fault: 'MISSING',
      message: `The content of file ${key} is missing`,
    });
    await expect(storage.read(key, { start: 0, end: -1 })).rejects.toMatchObject({ fault: 'MISSING' });
  });

  it('fails when the stored content is shorter than the range', async () => {
    const content = randomBytes(1000);
    const key = await stored(content);
    await fixture.shorten(key, content.subarray(0, 500));
    for (const range of [
      { start: 0, end: 999 },
      { start: 600, end: 999 },
    ]) {
      await expect(storage.read(key, range)).rejects.toMatchObject({ fault: 'BROKEN' });
    }
    expect(await buffer(await storage.read(key, { start: 0, end: 499 }))).toEqual(content.subarray(0, 500));
  });

  it('refuses a file of another size than announced', async () => {
    const { key, path } = sourceOf(randomBytes(1000));
    for (const size of [999, 1001]) {
      await expect(storage.put(key, path, size)).rejects.toMatchObject({ fault: 'BROKEN' });
    }
    await expect(storage.read(key, { start: 0, end: 0 })).rejects.toMatchObject({ fault: 'MISSING' });
  });

  it('stores different files at the same time', async () => {
    const contents = Array.from({ length: 30 }, (_, index) => randomBytes(1000 * index + 1));
    const keys = await Promise.all(contents.map((content) => stored(content)));
    const read = await Promise.all(keys.map((key, index) => contentOf(storage, key, contents[index]!.length)));
    expect(read).toEqual(contents);
  });

  it('keeps the copies of equal files apart', async () => {
    const content = randomBytes(1000);
    const [first, second] = [await stored(content), await stored(content)];
    await storage.remove(first);
    expect(await contentOf(storage, second, 1000)).toEqual(content);
  });

  it('stores nothing when it was aborted before', async () => {
    const { key, path, size } = sourceOf(randomBytes(1000));
    const reason = new Error('The upload was cancelled');
    await expect(storage.put(key, path, size, AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(storage.read(key, { start: 0, end: 0 })).rejects.toMatchObject({ fault: 'MISSING' });
  });

  it('stores nothing when it is aborted meanwhile', async () => {
    const { key, path, size } = await largeSource();
    const aborter = new AbortController();
    const reason = new Error('The upload was cancelled');
    const putting = storage.put(key, path, size, aborter.signal);
    setImmediate(() => aborter.abort(reason));
    await expect(putting).rejects.toBe(reason);
    await expect(storage.read(key, { start: 0, end: 0 })).rejects.toMatchObject({ fault: 'MISSING' });
    if (storage.temporaryFolder !== undefined) expect(readdirSync(storage.temporaryFolder)).toEqual([]);
  });

  it('stores and returns 64 MiB in pieces', async () => {
    const { key, path, size } = await largeSource();
    const stored = vi.spyOn(ExactBytes.prototype, '_transform');
    onTestFinished(() => stored.mockRestore());
    await storage.put(key, path, size);
    const pieces = stored.mock.calls.map(([piece]) => piece.length);
    expect(pieces.reduce((sum, length) => sum + length)).toBe(size);
    const hash = createHash('sha256');
    for await (const piece of await storage.read(key, { start: 0, end: size - 1 })) {
      hash.update(piece as Buffer);
      pieces.push((piece as Buffer).length);
    }
    expect(key).toContain(`/${hash.digest('hex')}-`);
    expect(Math.max(...pieces)).toBeLessThanOrEqual(MIB);
  });

  it('ends a reading that is abandoned', async () => {
    const { key, path, size } = await largeSource();
    await storage.put(key, path, size);
    const content: Readable = await storage.read(key, { start: 0, end: size - 1 });
    for await (const chunk of content) {
      expect((chunk as Buffer).length).toBeGreaterThan(0);
      break;
    }
    expect(content.destroyed).toBe(true);
    expect((await buffer(await storage.read(key, { start: 0, end: 9 }))).length).toBe(10);
  });

  it.each([
    ['../../../etc/passwd'],
    ['ab/../../x'],
    [`ab/${'0'.repeat(64)}-1`],
    [`00/${'0'.repeat(64)}`],
    [`00/${'0'.repeat(64)}-a.b`],
    [`00/${'0'.repeat(64)}-${'a'.repeat(41)}`],
    [`00/${'0'.repeat(64)}-a\n`],
  ])('refuses the key %j', async (key) => {
    const { path, size } = sourceOf(randomBytes(1));
    await expect(storage.put(key, path, size)).rejects.toThrow(TypeError);
    await expect(storage.read(key, { start: 0, end: 0 })).rejects.toThrow(TypeError);
    await expect(storage.remove(key)).rejects.toThrow(TypeError);
  });

  it.each([
    [-1, 5],
    [5, 3],
    [0.5, 2],
    [0, Number.NaN],
  ])('refuses the range %d to %d', async (start, end) => {
    const key = await stored(randomBytes(10));
    await expect(storage.read(key, { start, end })).rejects.toThrow(RangeError);
  });
}

function keyOf(hash: string): string {
  return `${hash.slice(0, 2)}/${hash}-${randomUUID()}`;
}

function sourceOf(content: Buffer, folder = temporaryFolder()): Source {
  const path = join(folder, randomUUID());
  writeFileSync(path, content);
  return { path, key: keyOf(createHash('sha256').update(content).digest('hex')), size: content.length };
}

async function largeSource(): Promise<Source> {
  const path = join(temporaryFolder(), 'large');
  const file = await open(path, 'w');
  for (let count = 0; count < 64; count++) await file.write(randomBytes(MIB));
  await file.close();
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return { path, key: keyOf(hash.digest('hex')), size: 64 * MIB };
}

async function contentOf(storage: FileStorage, key: string, size: number): Promise<Buffer> {
  return buffer(await storage.read(key, { start: 0, end: size - 1 }));
}
