/** The server in memory that applications use in their tests. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTestServer } from '../../src/test-server.js';
import { freePort } from '../support/server/free-port.js';

test('a user of the header reads the conversations that a test writes', async () => {
  const server = await createTestServer();
  onTestFinished(() => server.stop());
  await server.store({ userId: 'ann', isAdmin: false }).createChat({ id: 'c', userId: 'ann' });
  const chatOf = async (userId: string) => {
    const headers = { 'content-type': 'application/json', 'x-user-id': userId };
    const body = JSON.stringify({ query: '{ chat(id: "c") { userId } }' });
    return JSON.parse(await (await fetch(server.url, { method: 'POST', headers, body })).text()) as unknown;
  };
  expect(await chatOf('ann')).toEqual({ data: { chat: { userId: 'ann' } } });
  expect(await chatOf('bob')).toEqual({ data: { chat: null } });
});

test('a server that cannot listen closes its database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-server-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const port = await freePort();
  const occupied = createServer().listen(port, '127.0.0.1');
  onTestFinished(() => void occupied.close());
  const path = join(folder, 'parley.db');
  await expect(createTestServer({ databaseUrl: `file:${path}`, port })).rejects.toThrow('Cannot listen');
  expect(existsSync(path)).toBe(true);
  expect(existsSync(`${path}-wal`)).toBe(false);
});
