import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { openFileStorage } from '../../../../src/features/files/open-files.js';
import { smallDisk } from '../../../support/small-disk.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

function keyOf(content: string | Buffer): string {
  const hash = createHash('sha256').update(content).digest('hex');
  return `${hash.slice(0, 2)}/${hash}-${randomUUID()}`;
}

const TEXT = 'The content of a file';

function sourceIn(folder: string, content: string | Buffer = TEXT): string {
  const path = join(folder, randomUUID());
  writeFileSync(path, content, { mode: 0o644 });
  return path;
}

describe('a folder', () => {
  it('is created with all its parents, and is readable by its user only', async () => {
    const folder = join(temporaryFolder(), 'data', 'files');
    const storage = await openFileStorage(`file:${folder}`);
    const key = keyOf(TEXT);
    await storage.put(key, sourceIn(temporaryFolder()), TEXT.length);
    const modes = [folder, storage.temporaryFolder!, dirname(join(folder, key)), join(folder, key)].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600]);
  });

  it('is not created for reading, and has no contents then', async () => {
    const folder = join(temporaryFolder(), 'files');
    const storage = await openFileStorage(`file:${folder}`, true);
    const keys: string[] = [];
    for await (const each of storage.keys!()) keys.push(...each);
    expect([keys, existsSync(folder)]).toEqual([[], false]);
  });

  it('links a file of its temporary folder, and copies any other', async () => {
    const folder = temporaryFolder();
    const storage = await openFileStorage(`file:${folder}`);
    const inodes = async (path: string) => {
      const key = keyOf(TEXT);
      await storage.put(key, path, TEXT.length);
      expect(statSync(join(folder, key)).mode & 0o777).toBe(0o600);
      return [path, join(folder, key)].map((each) => statSync(each).ino);
    };
    const [temporary, linked] = await inodes(sourceIn(storage.temporaryFolder!));
    expect(linked).toBe(temporary);
    const [foreign, copied] = await inodes(sourceIn(folder));
    expect(copied).not.toBe(foreign);
  });

  it('is shared by several servers', async () => {
    const folder = temporaryFolder();
    const [one, other] = [await openFileStorage(`file:${folder}`), await openFileStorage(`file:${folder}`)];
    const key = keyOf(TEXT);
    await one.put(key, sourceIn(temporaryFolder()), TEXT.length);
    expect((await buffer(await other.read(key, { start: 4, end: 10 }))).toString()).toBe('content');
    await other.remove(key);
    await expect(one.read(key, { start: 0, end: 0 })).rejects.toMatchObject({ fault: 'MISSING' });
  });

  it('deletes temporary files that a killed process left, when they are older than a day', async () => {
    const folder = temporaryFolder();
    const { temporaryFolder: temporary } = await openFileStorage(`file:${folder}`);
    const [old, recent] = [sourceIn(temporary!), sourceIn(temporary!)];
    const seconds = Date.now() / 1000;
    utimesSync(old, seconds, seconds - 25 * 60 * 60);
    utimesSync(recent, seconds, seconds - 23 * 60 * 60);
    await openFileStorage(`file:${folder}`);
    expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
  });

  it('fails while it is read when another program shortens the file', async () => {
    const folder = temporaryFolder();
    const storage = await openFileStorage(`file:${folder}`);
    const content = Buffer.alloc(1_000_000, 'x');
    const key = keyOf(content);
    await storage.put(key, sourceIn(folder, content), content.length);
    const stream = await storage.read(key, { start: 0, end: content.length - 1 });
    truncateSync(join(folder, key), 100);
    await expect(buffer(stream)).rejects.toMatchObject({
      fault: 'BROKEN',
      message: `File ${key} must have at least 1000000 bytes, but has 100`,
    });
  });

  it('names a path that is not a folder', async () => {
    const path = sourceIn(temporaryFolder());
    await expect(openFileStorage(`file:${path}`)).rejects.toMatchObject({
      fault: 'UNAVAILABLE',
      message: `FILES_URL: The folder ${path} of files cannot be written: its parent path is not a directory`,
    });
  });

  it('fails when the folder was deleted, and stores again when it exists', async () => {
    const folder = temporaryFolder();
    const storage = await openFileStorage(`file:${folder}`);
    const source = sourceIn(temporaryFolder());
    rmSync(folder, { recursive: true });
    await expect(storage.put(keyOf(TEXT), source, TEXT.length)).rejects.toMatchObject({
      fault: 'UNAVAILABLE',
      message: `The folder ${folder} of files cannot be written: its folder does not exist`,
    });
    mkdirSync(storage.temporaryFolder!, { recursive: true });
    await storage.put(keyOf(TEXT), source, TEXT.length);
  });

  it('reports a full disk, and leaves nothing of the file', async ({ skip }) => {
    const disk = smallDisk(1);
    if (disk === null) return skip('this user cannot mount a small disk');
    const storage = await openFileStorage(`file:${disk}`);
    const content = Buffer.alloc(2_000_000, 'x');
    await expect(
      storage.put(keyOf(content), sourceIn(temporaryFolder(), content), content.length),
    ).rejects.toMatchObject({
      fault: 'NO_SPACE',
      message: `The folder ${disk} of files cannot be written: no space is left on its disk`,
    });
    expect(readdirSync(storage.temporaryFolder!)).toEqual([]);
    const key = keyOf(TEXT);
    await storage.put(key, sourceIn(temporaryFolder()), TEXT.length);
    expect((await buffer(await storage.read(key, { start: 0, end: 2 }))).toString()).toBe('The');
  });

  it('is refused on a read-only disk', async ({ skip }) => {
    const disk = smallDisk(1);
    if (disk === null) return skip('this user cannot mount a small disk');
    await openFileStorage(`file:${disk}`);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    await expect(openFileStorage(`file:${disk}`)).rejects.toMatchObject({
      fault: 'DENIED',
      message: `FILES_URL: The folder ${disk} of files cannot be written: its file system is read-only`,
    });
  });
});
