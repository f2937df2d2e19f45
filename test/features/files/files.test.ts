/** Files from their upload to their removal, over sockets. */
import { DatabaseFileRecords } from '../../../src/features/files/records/database-file-records.js';
import { readdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/database/opening/open.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { PNG, sha256, startFileServer, withFile } from './file-server.js';

const reference = (content: Uint8Array) => `parley:file:${sha256(content)}`;

describe('a file', () => {
  it('is uploaded, saved in a message, and read by the owner of the chat', async () => {
    const server = await startFileServer();
    const ann = await server.as('ann');
    await ann.createChat('a');
    const uploaded = await ann.upload(PNG, { name: 'photo.png' });
    expect([uploaded.status, uploaded.body]).toEqual([
      201,
      { id: sha256(PNG), name: 'photo.png', mediaType: 'image/png', size: PNG.length, reference: reference(PNG) },
    ]);
    const saved = await ann.save('a', 'm', withFile(reference(PNG)));
    const [message] = saved.messages ?? [];
    const url = `/files/${sha256(PNG)}?message=m`;
    expect(message?.files).toEqual([
      { id: sha256(PNG), name: 'photo.png', mediaType: 'image/png', size: PNG.length, url },
    ]);
    const read = await ann.get(url);
    expect([read.status, Buffer.from(await read.arrayBuffer())]).toEqual([200, PNG]);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-disposition': 'inline; filename="photo.png"',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      etag: `"${sha256(PNG)}"`,
    });
    expect((await ann.get(`/files/${sha256(PNG)}`)).status).toBe(200);
  });

  it('stays unreadable for other users', async () => {
    const server = await startFileServer();
    const [ann, bob, root] = [await server.as('ann'), await server.as('bob'), await server.as('root', true)];
    await ann.createChat('a');
    await bob.createChat('b');
    await ann.upload(PNG);
    await ann.save('a', 'm', withFile(reference(PNG)));
    const statuses = async (viewer: typeof ann) => [
      (await viewer.get(`/files/${sha256(PNG)}?message=m`)).status,
      (await viewer.get(`/files/${sha256(PNG)}`)).status,
    ];
    expect(await statuses(bob)).toEqual([404, 404]);
    expect(await statuses(root)).toEqual([200, 200]);
    expect(await bob.save('b', 'n', withFile(reference(PNG)))).toMatchObject({
      __typename: 'InvalidInputError',
      message: expect.stringContaining('neither uploaded nor received') as unknown,
    });
    // An upload of one's own, and nothing else, grants it.
    expect((await bob.upload(PNG)).status).toBe(201);
    expect(await statuses(bob)).toEqual([404, 404]);
    expect(await bob.save('b', 'n', withFile(reference(PNG)))).toMatchObject({ __typename: 'SaveMessagesPayload' });
    expect(await statuses(bob)).toEqual([404, 200]);
  });

  it('is removed although another user knows its hash', async () => {
    const server = await startFileServer();
    await (await server.as('ann')).upload(PNG);
    const database = await openDatabase({ url: server.databaseUrl });
    onTestFinished(() => database.store.close());
    const { rows } = await rawDatabase(server.databaseUrl);
    const usedAt = async () => (await rows<{ usedAt: number }>('SELECT "usedAt" FROM files'))[0]?.usedAt;
    const before = await usedAt();
    const records = new DatabaseFileRecords(database.connection, { unusedForMs: 1, now: () => Date.now() + 1_000 });
    expect(await records.keep('bob', sha256(PNG))).toBe(false);
    expect(await usedAt()).toBe(before);
    expect(await records.keep('ann', sha256(PNG))).toBe(true);
    expect(await usedAt()).not.toBe(before);
  });

  it('replaces a data URL of more than 8 KiB, and a retry saves nothing twice', async () => {
    const server = await startFileServer();
    const ann = await server.as('ann');
    await ann.createChat('a');
    const image = Buffer.concat([PNG, Buffer.alloc(9_000)]);
    const data = withFile(`data:image/png;base64,${image.toString('base64')}`);
    const first = await ann.save('a', 'm', data);
    expect(first.messages).toMatchObject([{ data: withFile(reference(image)), files: [{ size: image.length }] }]);
    expect(await ann.save('a', 'm', data)).toEqual(first);
  });

  it('replaces no data URL of 8 KiB or less, and none with broken base64', async () => {
    const server = await startFileServer();
    const ann = await server.as('ann');
    await ann.createChat('a');
    const base64 = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)]).toString('base64');
    const longest = `data:image/x-png;base64,${base64(6_126)}`;
    expect(longest).toHaveLength(8 * 1024);
    for (const url of [longest, `data:image/png;base64,${base64(9_000)}!`]) {
      const data = withFile(url);
      expect((await ann.save('a', `of ${url.length}`, data)).messages).toMatchObject([{ data, files: [] }]);
    }
  });

  it('is removed when no message has it any longer', async () => {
    const filesUrl = `file:${temporaryFolder()}`;
    const server = await startFileServer({ unusedFileExpiryMs: 1_000, filesUrl });
    const isStored = (content: Uint8Array) =>
      readdirSync(filesUrl.replace('file:', ''), { recursive: true, encoding: 'utf8' }).some((name) =>
        name.includes(sha256(content)),
      );
    const ann = await server.as('ann');
    await ann.createChat('a');
    const other = Buffer.concat([PNG, Buffer.alloc(1)]);
    await ann.upload(PNG);
    await ann.upload(other);
    await ann.save('a', 'm', withFile(reference(PNG)));
    expect([isStored(PNG), isStored(other)]).toEqual([true, true]);
    await expect.poll(() => isStored(other)).toBe(false);
    expect([isStored(PNG), (await ann.get(`/files/${sha256(PNG)}`)).status]).toEqual([true, 200]);
    await ann.ask('mutation { deleteChat(input: { chatId: "a", permanently: true }) { __typename } }');
    expect((await ann.get(`/files/${sha256(PNG)}`)).status).toBe(404);
    await expect.poll(() => isStored(PNG)).toBe(false);
  });
});
