/** A full disk under a SQLite file: acknowledged changes are kept, and deletions free space. */
import fs, { writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startConfigured } from '../../support/server/configured-server.js';
import type { HttpClient } from '../../support/server/http-client.js';
import { startServer } from '../../support/server/server-process.js';
import { smallDisk } from '../../support/small-disk.js';
import { temporaryFile } from '../../support/temporary-folder.js';

const SAVE = `mutation ($chatId: ID!, $id: ID!, $text: String!) {
  saveMessages(input: { chatId: $chatId, messages: [{ id: $id, name: "user", content: { text: $text } }] }) { __typename }
}`;
const MIB = 1024 * 1024;
const FULL = { code: 'DATABASE_UNAVAILABLE', database: 'read-only', status: 503 };

const save = async (server: HttpClient, chatId: string, id: string, length = 1) => {
  const { data, errors } = await server.post(SAVE, { chatId, id, text: 'x'.repeat(length) });
  return errors?.[0]?.extensions?.['code'] ?? data;
};
const change = async (server: HttpClient, field: string, id: string, more = '') => {
  const argument = field === 'createChat' ? 'id' : 'chatId';
  const input = `{ ${argument}: "${id}"${more} }`;
  const { data, errors } = await server.post(`mutation { ${field}(input: ${input}) { __typename } }`);
  return errors?.[0]?.extensions?.['code'] ?? data;
};
const readiness = async ({ url }: { url: string }) => {
  const response = await fetch(new URL('/health/ready', url));
  const { database } = (await response.json()) as { database: string };
  return { database, status: response.status };
};
const SAVED = { saveMessages: { __typename: 'SaveMessagesPayload' } };
const DELETED = { deleteChat: { __typename: 'DeleteChatPayload' } };
const UP = { database: 'up', status: 200 };

/** Saves until saving fails. */
async function fill(server: HttpClient, chatId: string, length: number) {
  const saved: string[] = [];
  for (;;) {
    const id = `${chatId}-${saved.length}`;
    const answer = await save(server, chatId, id, length);
    if (typeof answer === 'string') return { saved, code: answer };
    saved.push(id);
  }
}

it('reserves the last space of the disk for deletions', async () => {
  const server = await startConfigured({ DATABASE_URL: `file:${temporaryFile()}` });
  await change(server, 'createChat', 'c');
  const disk = vi.spyOn(fs, 'statfsSync');
  onTestFinished(() => disk.mockRestore());
  const left = (bytes: number) => disk.mockReturnValue({ bsize: 1, bavail: bytes, blocks: 1024 * MIB } as never);
  left(32 * MIB);
  expect([await save(server, 'c', 'a'), await readiness(server)]).toEqual([SAVED, UP]);
  // The file itself has free pages from the creation of its tables.
  left(31 * MIB);
  const { code, ...ready } = FULL;
  expect([await save(server, 'c', 'b'), await readiness(server)]).toEqual([code, ready]);
  expect([await change(server, 'deleteChat', 'c'), await change(server, 'createChat', 'd')]).toEqual([DELETED, code]);
  left(32 * MIB);
  expect([await change(server, 'createChat', 'd'), await readiness(server)]).toMatchObject([{ createChat: {} }, UP]);
  const lines = server.log().match(/they are for deletions/g);
  expect(lines).toHaveLength(1);
});

it('saves in the space of deleted data on a full disk', async () => {
  const server = await startConfigured({ DATABASE_URL: `file:${temporaryFile()}` });
  await change(server, 'createChat', 'c');
  for (let n = 0; n < 8; n++) await save(server, 'c', `c-${n}`, MIB - 100);
  const disk = vi.spyOn(fs, 'statfsSync');
  onTestFinished(() => disk.mockRestore());
  disk.mockReturnValue({ bsize: 1, bavail: 26 * MIB, blocks: 1024 * MIB } as never);
  expect(await change(server, 'createChat', 'd')).toBe(FULL.code);
  expect(await change(server, 'deleteChat', 'c', ', permanently: true')).toEqual(DELETED);
  await change(server, 'createChat', 'd');
  expect([await save(server, 'd', 'd-0'), await readiness(server)]).toEqual([SAVED, UP]);
});

it.skipIf(process.platform === 'win32')('stays up on a read-only disk, and keeps acknowledged writes', async () => {
  const file = temporaryFile();
  const server = await startServer({ DATABASE_URL: `file:${file}` }, { fileBytes: 4 * MIB });
  await change(server, 'createChat', 'c');
  const { saved, code } = await fill(server, 'c', 100_000);
  expect({ code, ...(await readiness(server)) }).toEqual(FULL);
  // Saved messages can be read.
  expect(await server.post('{ chat(id: "c") { messageCount } }')).toEqual({
    data: { chat: { messageCount: saved.length } },
  });
  server.kill('SIGKILL');
  await server.exited;
  const again = await startServer({ DATABASE_URL: `file:${file}` });
  expect([await save(again, 'c', 'again'), await readiness(again)]).toEqual([SAVED, UP]);
  const database = new Database(file);
  expect(database.prepare('SELECT "id" FROM "messages" ORDER BY "seq"').pluck().all()).toEqual([...saved, 'again']);
  database.close();
});

it('accepts deletions on a really full disk, and saves again', async ({ skip }) => {
  const disk = smallDisk(32);
  if (disk === null) return skip('this user cannot mount a small disk');
  const server = await startServer({ DATABASE_URL: `file:${disk}/parley.db` });
  for (const id of ['a', 'b']) await change(server, 'createChat', id);
  for (let n = 0; n < 10; n++) await save(server, 'a', `a-${n}`, MIB - 100);
  const { code } = await fill(server, 'b', MIB - 100);
  expect({ code, ...(await readiness(server)) }).toEqual(FULL);
  // Another process uses the rest of the disk.
  expect(() => writeFileSync(`${disk}/other`, Buffer.alloc(32 * MIB))).toThrow('ENOSPC');
  expect(await change(server, 'deleteChat', 'a', ', permanently: true')).toEqual(DELETED);
  await expect.poll(() => readiness(server)).toEqual(UP);
  expect(await save(server, 'b', 'again', 100_000)).toEqual(SAVED);
  server.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0 });
});
