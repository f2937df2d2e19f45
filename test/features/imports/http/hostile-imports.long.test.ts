/** Uploads that attack memory, disk, time or the process while other users work. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import type { GraphQLFormattedError } from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import { importProcesses, isImporting } from '../../../support/server/import-processes.js';
import { startServer, type Settings } from '../../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../../support/database/temporary-database.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';
import { bearer, SECRET } from '../../../support/server/tokens.js';
import { endlessChat, manySmallObjects, zipOfSharedParts } from './hostile-files.js';

/** A process with a small heap, as in a container, and a separate folder for imports. */
async function startSmall(settings: Partial<Settings> = {}) {
  const folder = temporaryFolder();
  const all: Settings = {
    DATABASE_URL: temporaryDatabaseUrl(),
    AUTH_JWT_SECRET: SECRET,
    NODE_OPTIONS: '--max-old-space-size=512',
    REQUEST_TIMEOUT_MS: '600000',
    RATE_LIMIT_PER_USER: '0',
    RATE_LIMIT_PER_ADDRESS: '0',
    TMPDIR: folder,
    ...settings,
  };
  const server = await startServer(all);
  const importFolders = () => readdirSync(all.TMPDIR ?? '').filter((name) => name.startsWith('parley-import-'));
  return { ...server, settings: all, importFolders };
}

/** Sends a body and returns the unread response. */
async function send(url: string, user: string, body: Readable): Promise<IncomingMessage> {
  const headers = { ...(await bearer(user)), 'content-type': 'application/octet-stream' };
  const request = httpRequest(url.replace('/graphql', '/import'), { method: 'POST', headers });
  onTestFinished(() => void request.destroy());
  const answered = once(request, 'response');
  body.pipe(request);
  const [response] = (await answered) as [IncomingMessage];
  return response.on('error', () => {});
}

/** The last line of the answer. */
async function answerOf(url: string, user: string, body: Readable) {
  const response = await send(url, user, body);
  const lines = (await text(response)).trimEnd().split('\n');
  return JSON.parse(lines.at(-1) ?? '') as object;
}

/** The error of a last line: its shape depends on whether progress was reported before, which takes 30 s. */
function errorIn(last: { errors?: [GraphQLFormattedError]; error?: { message: string; code: string } }) {
  return last.errors === undefined
    ? last.error
    : { message: last.errors[0].message, code: last.errors[0].extensions?.['code'] };
}

/** Sends queries as another user until the work is complete; each answer must be correct. */
async function besidesQueries(url: string, work: Promise<unknown>): Promise<number> {
  const headers = { ...(await bearer('another')), 'content-type': 'application/json' };
  const state = { isDone: false };
  let answers = 0;
  const done = work.finally(() => (state.isDone = true));
  while (!state.isDone) {
    const response = await fetch(url, { method: 'POST', headers, body: '{"query":"{ viewer { userId } }"}' });
    expect(await response.json()).toEqual({ data: { viewer: { userId: 'another' } } });
    answers++;
  }
  await done;
  return answers;
}

/** More answers than all buffers hold, so that the process waits for a client that does not read. */
const endless = () => Readable.from(['{"nothing":1}\n'.repeat(200_000)]);

it.each([
  ['conversations of 800,000 objects each', manySmallObjects],
  ['500,000 messages without an end', () => endlessChat(500_000)],
])('two uploads of %s end only their own process', async (_, body) => {
  const server = await startSmall({ IMPORT_MEMORY_BYTES: String(128 * 1024 ** 2) });
  const packed = await buffer(Readable.from(body()).pipe(createGzip({ level: 1 })));
  const uploads = ['eve', 'mallory'].map((user) => answerOf(server.url, user, Readable.from([packed])));
  const answers = await besidesQueries(server.url, Promise.all(uploads));
  expect(answers).toBeGreaterThan(0);
  for (const last of await Promise.all(uploads)) {
    const message = expect.stringContaining('raise IMPORT_MEMORY_BYTES') as string;
    expect(errorIn(last)).toEqual({ message, code: 'TOO_LARGE' });
  }
  expect([server.importFolders(), importProcesses(server.pid)]).toEqual([[], []]);
});

it('a zip of 40,000 parts that share one stream is refused before unpacking', async () => {
  const server = await startSmall();
  const zip = zipOfSharedParts(64 * 1024 * 1024 - 1);
  const last = await answerOf(server.url, 'eve', Readable.from([zip]));
  expect(JSON.stringify(last)).toContain('Files in the zip file overlap');
  expect(server.importFolders()).toEqual([]);
});

it('an upload below the minimum rate ends with an error', async () => {
  const server = await startSmall();
  const { authorization } = await bearer('eve');
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST /import HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n` +
      'content-type: application/jsonl\r\ncontent-length: 99999\r\n\r\n{',
  );
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*at least 8192 bytes per second.*REQUEST_TIMEOUT/s);
  await expect.poll(server.importFolders).toEqual([]);
});

it('an import ends with its server, and the next server deletes its files', async () => {
  const server = await startSmall();
  await send(server.url, 'eve', endless());
  const [pid = 0] = importProcesses(server.pid);
  expect(isImporting(pid)).toBe(true);
  server.kill('SIGKILL');
  await server.exited;
  await expect.poll(() => isImporting(pid)).toBe(false);
  expect(server.importFolders()).toHaveLength(1);
  const next = await startSmall(server.settings);
  await expect.poll(next.importFolders).toEqual([]);
});

it('a stopping server ends imports within its timeout, and deletes their files', async () => {
  const server = await startSmall({ SHUTDOWN_TIMEOUT_MS: '500' });
  await send(server.url, 'eve', endless());
  const [pid = 0] = importProcesses(server.pid);
  expect(isImporting(pid)).toBe(true);
  server.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0 });
  expect([isImporting(pid), server.importFolders()]).toEqual([false, []]);
});
