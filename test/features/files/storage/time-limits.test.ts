/** A storage that hangs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DatabaseFileRecords } from '../../../../src/features/files/records/database-file-records.js';
import { MessageFiles } from '../../../../src/features/files/message-files.js';
import type { FileStorage } from '../../../../src/files/file-storage.js';
import { withTimeLimits } from '../../../../src/features/files/storage/time-limits.js';
import { temporaryDatabase } from '../../../support/database/temporary-database.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { PNG, sha256, withFile } from '../file-server.js';

const never = () => new Promise<never>(() => {});
const hanging: FileStorage = { maxBytes: 1_000_000, put: never, read: never, remove: never, size: never };
const KEY = `ab/${'ab'.repeat(32)}-1`;
const range = { start: 0, end: 9 };

async function filesIn(storage: FileStorage) {
  const database = await temporaryDatabase();
  onTestFinished(() => database.remove());
  const folder = temporaryFolder();
  const limits = { maxFileBytes: 1e6, maxUserFileBytes: 1e6, maxTotalFileBytes: 1e6 };
  const records = new DatabaseFileRecords(database.connection, { unusedForMs: 1_000 });
  const temporaryFiles = () => Promise.resolve(folder);
  const files = new MessageFiles({
    records,
    storage: () => Promise.resolve(storage),
    limits,
    temporaryFolder: temporaryFiles,
  });
  const path = join(folder, 'staged');
  writeFileSync(path, 'content');
  return { files, staged: { path, size: 7, sha256: sha256('content'), mediaType: 'text/plain' } };
}

it('ends each operation after a time, with an error that names it', async () => {
  const storage = withTimeLimits(hanging, 20);
  const late = (what: string, ms = 20) => ({
    fault: 'UNAVAILABLE',
    message: `The storage did not ${what} file ${KEY} within ${ms} ms`,
  });
  await expect(storage.put(KEY, '/tmp/x', 5_000)).rejects.toMatchObject(late('store', 25));
  await expect(storage.read(KEY, range)).rejects.toMatchObject(late('open'));
  await expect(storage.remove(KEY)).rejects.toMatchObject(late('remove'));
  await expect(storage.size(KEY)).rejects.toMatchObject(late('find'));
});

it('closes a stream that opens after its reader has left', async () => {
  let open = (_: Readable) => {};
  const storage = withTimeLimits({ ...hanging, read: () => new Promise<Readable>((resolve) => (open = resolve)) });
  const leaving = new AbortController();
  const reading = storage.read(KEY, range, { userId: 'ann', signal: leaving.signal });
  leaving.abort(new Error('left'));
  await expect(reading).rejects.toThrow('left');
  const content = Readable.from(['content']);
  open(content);
  await new Promise((resolve) => content.once('close', resolve));
});

it('ends an upload whose client has left', async () => {
  const { files, staged } = await filesIn(withTimeLimits(hanging));
  const leaving = new AbortController();
  const adding = files.add('ann', staged, { signal: leaving.signal });
  leaving.abort(new Error('left'));
  await expect(adding).rejects.toThrow('left');
});

it('leaves the data URLs of a save in its message, after the time of one', async () => {
  const put = vi.fn(never);
  const { files } = await filesIn(withTimeLimits({ ...hanging, put }, 50));
  const url = (fill: string) =>
    `data:image/png;base64,${Buffer.concat([PNG, Buffer.alloc(9_000, fill)]).toString('base64')}`;
  const data = { parts: ['a', 'b', 'c', 'd'].map((fill) => withFile(url(fill))) };
  const viewer = { userId: 'ann', isAdmin: false };
  const input = { content: { data } };
  expect(isDeepStrictEqual(await files.withStored({ viewer }, input), input)).toBe(true);
  expect(put).toHaveBeenCalledOnce();
  const leaving = new AbortController();
  const moving = files.withStored({ viewer, signal: leaving.signal }, input);
  leaving.abort(new Error('no time left'));
  await expect(moving).rejects.toThrow('no time left');
});
