/** Limits of stored and arriving bytes, with several uploads and several servers at once. */
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DatabaseFileRecords } from '../../../src/features/files/records/database-file-records.js';
import type { FileLimits } from '../../../src/files/files.js';
import { MessageFiles } from '../../../src/features/files/message-files.js';
import { PartialUploads } from '../../../src/features/files/partial-uploads.js';
import { openFileStorage } from '../../../src/features/files/open-files.js';
import { Spool } from '../../../src/limits/spool.js';
import { temporaryDatabase } from '../../support/database/temporary-database.js';
import { bearer } from '../../support/server/tokens.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { sha256, startFileServer } from '../files/file-server.js';

const MIB = 1024 ** 2;
const HOUR_MS = 3_600_000;

it('an upload counts before it is complete, and no longer after it broke off', async () => {
  const limits = { maxFileBytes: 2 * MIB, maxUserFileBytes: 3 * MIB };
  const server = await startFileServer({ limits });
  const ann = await server.as('ann');
  const { hostname, port } = new URL(server.url);
  const { authorization } = await bearer('ann');
  const socket = connect(Number(port), hostname);
  const hash = '0'.repeat(64);
  const head = [`POST /files?sha256=${hash} HTTP/1.1`, 'host: parley', `authorization: ${authorization}`];
  const rest = ['content-type: application/octet-stream', `content-length: ${2 * MIB}`, '', 'the beginning'];
  socket.write([...head, ...rest].join('\r\n'));
  const other = Buffer.alloc(2 * MIB, 1);
  const state = async () => (await ann.get(`/files?sha256=${hash}`)).json() as Promise<{ offset: number }>;
  await expect.poll(async () => (await state()).offset).toBeGreaterThan(0);
  const { status, body } = await ann.upload(other);
  expect([status, JSON.stringify(body)]).toEqual([
    413,
    expect.stringContaining(`they have 0, ${2 * MIB} are arriving, and this one has ${2 * MIB}`),
  ]);
  socket.destroy();
  await expect.poll(async () => (await ann.upload(other)).status).toBe(201);
});

it('an upload beyond the storage quota of its user is refused, also while others arrive', async () => {
  const server = await startFileServer({ storageQuotaBytes: 100 });
  const ann = await server.as('ann');
  const quotas = await Promise.all(['a', 'b'].map((letter) => ann.upload(letter.repeat(60))));
  expect(quotas.map(({ status }) => status).sort()).toEqual([201, 413]);
  const { status, body } = await ann.upload('c'.repeat(41));
  const message =
    'Chats and files use 60 of 100 bytes, and 41 more do not fit: delete chats or files, or ask an admin for more';
  expect([status, body]).toMatchObject([
    413,
    { errors: [{ message, extensions: { code: 'STORAGE_QUOTA_EXCEEDED' } }] },
  ]);
  expect((await ann.upload('c'.repeat(40))).status).toBe(201);
});

/** Files of one database, each as a server of its own. */
async function serversWith(limits: Partial<FileLimits>) {
  const database = await temporaryDatabase();
  onTestFinished(() => database.remove());
  const storage = await openFileStorage(`file:${temporaryFolder()}`);
  const records = new DatabaseFileRecords(database.connection, { unusedForMs: 1_000 });
  const bytesOfAll = vi.spyOn(records, 'bytesOfAll');
  const server = (put = storage.put.bind(storage)) =>
    new MessageFiles({
      records,
      storage: () =>
        Promise.resolve({
          maxBytes: storage.maxBytes,
          put,
          read: storage.read.bind(storage),
          remove: storage.remove.bind(storage),
          size: storage.size.bind(storage),
        }),
      limits: { maxFileBytes: MIB, maxUserFileBytes: MIB, maxTotalFileBytes: MIB, ...limits },
      temporaryFolder: () => Promise.resolve(storage.temporaryFolder!),
    });
  const staged = (content: string) => {
    const path = join(storage.temporaryFolder!, sha256(content));
    writeFileSync(path, content);
    return { path, size: content.length, sha256: sha256(content), mediaType: 'text/plain' };
  };
  return { records, bytesOfAll, server, staged, storage };
}

it('files that several servers store at once stay within the limit of their user', async () => {
  const { records, server, staged, storage } = await serversWith({ maxUserFileBytes: 10 });
  await server().add('bob', staged('exactly 10'));
  let arrived = 0;
  let go = () => {};
  const both = new Promise<void>((resolve) => (go = resolve));
  const put: typeof storage.put = async (...args) => {
    await storage.put(...args);
    if (++arrived === 2) go();
    await both;
  };
  const added = await Promise.allSettled([
    server(put).add('ann', staged('of one')),
    server(put).add('ann', staged('of two')),
  ]);
  expect(added.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const failed = added.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(String(failed.reason)).toContain('MAX_USER_FILE_BYTES');
  expect(await records.bytesOfUser('ann')).toBe(6);
  // Its content is due for removal.
  expect(await records.removable(10)).toHaveLength(1);
});

it('files that one server stores at once stay within the limit of all', async () => {
  const { records, server, staged } = await serversWith({ maxTotalFileBytes: 20 });
  const files = server();
  // A reservation replaces an earlier one of the same file.
  const held = files.hold('ann');
  for (let n = 0; n < 2; n++) await held.reserve(20, null);
  held.release();
  const added = await Promise.allSettled(
    Array.from({ length: 6 }, (_, n) => files.add(`user ${n}`, staged(`of ${n}...`))),
  );
  expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  expect(await records.bytesOfAll()).toBe(14);
});

it('the bytes of all files are summed once a minute, and again for a refusal', async () => {
  const { records, bytesOfAll, server, staged } = await serversWith({ maxTotalFileBytes: 40 });
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const files = server();
  for (let n = 0; n < 4; n++) await files.add('ann', staged(`0123456-${n}`));
  expect(bytesOfAll).toHaveBeenCalledTimes(1);
  await expect(files.add('ann', staged('another one'))).rejects.toThrow('MAX_TOTAL_FILE_BYTES');
  // A file that the user has counts once.
  await files.add('ann', staged('0123456-0'));
  bytesOfAll.mockResolvedValue(0);
  vi.advanceTimersByTime(1_001);
  await files.add('ann', staged('another one'));
  expect(bytesOfAll).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(60_000);
  bytesOfAll.mockResolvedValue(40);
  await expect(files.add('ann', staged('the last'))).rejects.toThrow('MAX_TOTAL_FILE_BYTES');
  expect(await records.has('ann', sha256('the last'))).toBe(false);
});

/** Broken uploads in a folder with this number of bytes, on a clock that the test moves. */
function partialUploads(maxBytes: number) {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 });
  onTestFinished(() => void vi.useRealTimers());
  const folder = temporaryFolder();
  const uploads = new PartialUploads(() => Promise.resolve(folder), new Spool(maxBytes, 1));
  const interrupt = vi.fn();
  const open = (userId: string, name: string, offset = 0) =>
    uploads.open(userId, { sha256: name, offset }, { interrupt, ended: Promise.resolve() });
  const send = async (userId: string, name: string, content = 'abc') => {
    const upload = (await open(userId, name))!;
    appendFileSync(upload.path, content);
    upload.add(Buffer.from(content));
    upload.spooled.setBytes(upload.size);
    return upload;
  };
  return { uploads, interrupt, open, send, files: () => readdirSync(folder).length };
}

it('the newest 20 broken uploads of a user are kept for an hour', async () => {
  const { uploads, interrupt, send, files } = partialUploads(3 * 23);
  await send('ann', 'running');
  await uploads.keep(await send('bob', 'of bob'));
  for (let n = 0; n <= 20; n++) {
    vi.setSystemTime(n * 1_000);
    await uploads.keep(await send('ann', `${n}`));
  }
  const offsets = () =>
    ['running', '0', '1', '20'].map((name) => uploads.offset('ann', name)).concat(uploads.offset('bob', 'of bob'));
  expect([offsets(), files()]).toEqual([[3, 0, 3, 3, 3], 22]);
  await uploads.sweep(1_000 + HOUR_MS);
  expect([offsets(), files()]).toEqual([[3, 0, 3, 3, 0], 21]);
  await uploads.sweep(1_001 + HOUR_MS);
  expect([offsets(), files()]).toEqual([[3, 0, 0, 3, 0], 20]);
  const other = await send('eve', 'of eve');
  await uploads.removeOf('ann');
  expect([offsets(), files(), interrupt.mock.calls.length]).toEqual([[0, 0, 0, 0, 0], 1, 1]);
  other.spooled.setBytes(3 * 23);
  await uploads.close();
  expect(files()).toBe(0);
});

it('a broken upload that was continued counts as a new one', async () => {
  const { uploads, open, send } = partialUploads(3 * 21);
  for (let n = 0; n < 20; n++) {
    vi.setSystemTime(n * 1_000);
    await uploads.keep(await send('ann', `${n}`));
  }
  vi.setSystemTime(20_000);
  await uploads.keep((await open('ann', '0', 3))!);
  await uploads.keep(await send('ann', 'another'));
  expect(['0', '1', '2', 'another'].map((name) => uploads.offset('ann', name))).toEqual([3, 0, 3, 3]);
});

it('a broken upload continues after its bytes on disk, or starts over', async () => {
  const { uploads, open, send, files } = partialUploads(100);
  const upload = await send('ann', 'a');
  // The last bytes were not written.
  upload.add(Buffer.from('def'));
  await uploads.keep(upload);
  expect(uploads.offset('ann', 'a')).toBe(3);
  expect(await open('ann', 'a', 2)).toBeNull();
  const continued = (await open('ann', 'a', 3))!;
  continued.add(Buffer.from('d'));
  expect([continued.size, continued.sha256()]).toEqual([4, sha256('abcd')]);
  await uploads.keep(continued);
  expect((await open('ann', 'a'))?.size).toBe(0);
  expect(files()).toBe(0);
});
