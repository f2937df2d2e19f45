/** PostgreSQL servers that answer and refuse changes: a standby after a failover, a read-only server, and a full disk. */
import { randomBytes } from 'node:crypto';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { startOwnPostgresql } from '../../support/database/own-postgresql.js';
import { startProxy } from '../../support/server/tcp-proxy.js';
import { smallDisk } from '../../support/small-disk.js';
import { all, READ_ONLY, readiness, READY, save, saveAll, startWithChats } from './refused-saves.js';

const IS_READ_ONLY = 'DATABASE_UNAVAILABLE: The database is read-only';
const IS_FULL = 'DATABASE_UNAVAILABLE: The disk of the database is full';
const MIB = 1024 * 1024;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

it('a server whose connections lead to a standby is read-only until the promotion', async () => {
  const primary = await startOwnPostgresql();
  const url = new URL(primary.url);
  const target = { host: url.hostname, port: Number(url.port) };
  const proxy = await startProxy(target);
  url.port = String(proxy.port);
  const server = await startWithChats(url.href);
  const standby = await primary.startStandby();
  target.port = Number(new URL(standby.url).port);
  proxy.cut();
  await primary.kill();
  await expect.poll(() => readiness(server)).toEqual(READ_ONLY);
  expect(await saveAll(server, 'refused')).toEqual(all(IS_READ_ONLY));
  await (await connect(standby.url)).query('SELECT pg_promote()');
  expect(await readiness(server)).toEqual(READY);
  expect(await saveAll(server, 'again')).toEqual(all('saved'));
});

it('a server without saves notices that its sessions became read-only', async () => {
  const { url } = await startOwnPostgresql();
  const server = await startWithChats(url);
  const owner = await connect(url);
  const set = async (value: 'on' | 'off') => {
    await owner.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await owner.query('SELECT pg_reload_conf()');
  };
  await set('on');
  await expect.poll(() => readiness(server)).toEqual(READ_ONLY);
  expect(await saveAll(server, 'refused')).toEqual(all(IS_READ_ONLY));
  await set('off');
  await expect.poll(() => readiness(server)).toEqual(READY);
  expect(await saveAll(server, 'again')).toEqual(all('saved'));
});

it('a full disk refuses saves, and permits deletions, whose space is used again', async ({ skip }) => {
  const disk = smallDisk(40);
  if (disk === null) return skip('this user cannot mount a small disk');
  const { url, owner } = await databaseOn(disk);
  const server = await startWithChats(url);
  // PostgreSQL compresses repeated text.
  const saveLong = (chatId: string, n: number) =>
    save(server, chatId, `${chatId}-${n}`, randomBytes(MIB / 2).toString('base64'));
  const fill = async (chatId: string) => {
    for (let n = 0; ; n++) {
      const result = await saveLong(chatId, n);
      if (result !== 'saved') return { count: n, result };
    }
  };
  const remove = (id: string) =>
    server.post('mutation ($id: ID!) { deleteChat(input: { chatId: $id, permanently: true }) { __typename } }', { id });
  const DELETED = { data: { deleteChat: { __typename: 'DeleteChatPayload' } } };
  // The tables have their first pages and maps, like those of a database in use.
  expect(await saveLong('chat-18', 0)).toBe('saved');
  expect(await remove('chat-19')).toEqual(DELETED);
  await owner.query('VACUUM');
  // Another program uses a part of the disk.
  writeFileSync(`${disk}/other`, Buffer.alloc(4 * MIB));
  const first = await fill('chat-0');
  expect(first.result).toBe(IS_FULL);
  expect(await remove('chat-0')).toEqual(DELETED);
  // Autovacuum does so within a minute.
  await owner.query('VACUUM messages, message_texts');
  const second = await fill('chat-1');
  expect(second.result).toBe(IS_FULL);
  expect(second.count).toBeGreaterThan(first.count / 2);
  expect(await readiness(server)).toEqual(READ_ONLY);
  expect(await server.post('{ chat(id: "chat-1") { messageCount } }')).toEqual({
    data: { chat: { messageCount: second.count } },
  });
  rmSync(`${disk}/other`);
  expect(await readiness(server)).toEqual(READY);
  expect(await save(server, 'chat-3', 'again')).toBe('saved');
});

/** A database whose tables are on a disk, and whose log is not. */
async function databaseOn(disk: string) {
  const server = await startOwnPostgresql();
  const admin = await connect(server.url);
  const { rows } = await admin.query<{ data_directory: string }>('SHOW data_directory');
  const { uid, gid } = statSync(rows[0]!.data_directory);
  chownSync(disk, uid, gid);
  await admin.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
  await admin.query('CREATE DATABASE small TABLESPACE small');
  const url = new URL(server.url);
  url.pathname = '/small';
  return { url: url.href, owner: await connect(url.href) };
}
