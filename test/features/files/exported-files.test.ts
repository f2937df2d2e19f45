/** Zips in Parley's format contain the files of their messages, and restore them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exportFrom, importTo } from '../exports/run-export.js';
import { writeZip } from '../imports/zips/write-zip.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { temporaryFile } from '../../support/temporary-folder.js';
import { PNG, sha256, startFileServer, withFile } from './file-server.js';

const IMAGE = Buffer.concat([PNG, Buffer.alloc(300_000, 5)]);
const NOTES = new TextEncoder().encode('# Notes\n'.repeat(10));
const reference = (content: Uint8Array) => `parley:file:${sha256(content)}`;

/** A server that imports in its own process: starting another takes most of the time of an import. */
const IN_MEMORY = { databaseUrl: ':memory:' };

/** A server where Ann has a chat with an image in two messages, and a text. */
async function serverOfAnn(options: { databaseUrl?: string } = {}) {
  const server = await startFileServer(options);
  const ann = await server.as('ann');
  await ann.createChat('a');
  await ann.upload(new Uint8Array(IMAGE));
  await ann.upload(NOTES, { mediaType: 'text/markdown' });
  await ann.save('a', 'm1', withFile(reference(IMAGE)));
  await ann.save('a', 'm2', withFile(reference(IMAGE), 'again.png'));
  await ann.save('a', 'm3', withFile(reference(NOTES), 'notes.md'));
  return { server, ann };
}

type User = Awaited<ReturnType<Awaited<ReturnType<typeof startFileServer>>['as']>>;

const zipOf = async (user: User) => new Uint8Array(await (await user.get('/export?zip=true')).arrayBuffer());

/** The bytes of a file as a user reads them; null if they may not. */
async function read(user: User, content: Uint8Array): Promise<string | null> {
  const response = await user.get(`/files/${sha256(content)}`);
  if (response.status !== 200) return null;
  return createHash('sha256')
    .update(new Uint8Array(await response.arrayBuffer()))
    .digest('hex');
}

const filesOf = (user: User, messageId: string) =>
  user.ask<{ message: { files: unknown[] } }>(
    'query ($id: ID!) { message(id: $id) { files { id name mediaType size } } }',
    {
      id: messageId,
    },
  );

describe('a zip in the format of Parley', () => {
  it('contains each file once, and restores it for the user on another server', async () => {
    const { ann } = await serverOfAnn();
    const zip = await zipOf(ann);
    const names = [
      ...Buffer.from(zip)
        .toString('latin1')
        .matchAll(/PK\x01\x02[^]{42}(parley\.jsonl|files\/[0-9a-f]{64})/g),
    ];
    expect(names.map(([, name]) => name).sort()).toEqual(
      ['parley.jsonl', `files/${sha256(IMAGE)}`, `files/${sha256(NOTES)}`].sort(),
    );
    const other = await startFileServer(IN_MEMORY);
    const bob = await other.as('bob');
    expect((await bob.bring(zip)).at(-1)).toMatchObject({ totals: { conversations: { imported: 1 }, warnings: 0 } });
    expect([await read(bob, IMAGE), await read(bob, NOTES)]).toEqual([sha256(IMAGE), sha256(NOTES)]);
    for (const id of ['m1', 'm2', 'm3']) expect(await filesOf(bob, id)).toEqual(await filesOf(ann, id));
    expect((await filesOf(bob, 'm3')).message.files).toMatchObject([{ name: 'notes.md', mediaType: 'text/plain' }]);
    expect((await bob.bring(zip)).at(-1)).toMatchObject({ totals: { conversations: { unchanged: 1 }, warnings: 0 } });
    expect(await read(await other.as('eve'), IMAGE)).toBeNull();
  });

  it('is written and read by the commands, which report files that it lacks', async () => {
    const { server } = await serverOfAnn();
    const [zip, lines] = [`${temporaryFile()}.zip`, `${temporaryFile()}.jsonl`];
    expect((await exportFrom(server.databaseUrl, zip)).out).toContain('2 files of messages are in the zip.');
    expect((await exportFrom(server.databaseUrl, lines)).out).toContain(
      "2 files of messages are left out: a zip in Parley's format contains them.",
    );
    const [to, without] = [emptyDatabaseUrl(), emptyDatabaseUrl()];
    expect(await importTo(to, zip)).toMatchObject({
      code: 0,
      out: expect.not.arrayContaining(['Warnings:']) as unknown,
    });
    const restored = await (await startFileServer({ databaseUrl: to })).as('ann');
    expect([await read(restored, IMAGE), await read(restored, NOTES)]).toEqual([sha256(IMAGE), sha256(NOTES)]);
    expect((await importTo(without, lines)).out.join('\n')).toContain('2 of its files are missing: export a zip');
    expect(await read(await (await startFileServer({ databaseUrl: without })).as('ann'), IMAGE)).toBeNull();
    expect(readFileSync(lines, 'utf8')).toContain(reference(IMAGE));
  });

  it('grants no file by its id, and is refused a content with another hash', async () => {
    const { server, ann } = await serverOfAnn(IN_MEMORY);
    const bob = await server.as('bob');
    const lines = await (await ann.get('/export')).text();
    const warned = await bob.bring(writeZip({ 'parley.jsonl': lines }));
    expect(JSON.stringify(warned)).toContain('2 of its files are missing');
    const forged = { 'parley.jsonl': lines, [`files/${sha256(IMAGE)}`]: Buffer.from('another content') };
    const other = await (await startFileServer(IN_MEMORY)).as('bob');
    expect(JSON.stringify(await other.bring(writeZip(forged)))).toContain(`file ${sha256(IMAGE)} has another hash`);
    expect([await read(bob, IMAGE), await read(other, IMAGE)]).toEqual([null, null]);
  });
});
