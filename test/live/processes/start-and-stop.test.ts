/** The server process: its start, its output, and the requests it refuses. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { request, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import { createServer as createParleyServer } from '../../../src/server.js';
import { graphql } from '../../generated/graphql/gql.js';
import { startConfigured } from '../../support/server/configured-server.js';
import type { HttpClient } from '../../support/server/http-client.js';
import { failToStart, startServer } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const DeleteChat = graphql(`
  mutation DeleteChatForGood($input: DeleteChatInput!) {
    deleteChat(input: $input) {
      __typename
    }
  }
`);

const Titles = graphql(`
  query Titles {
    chats(first: 10) {
      edges {
        node {
          id
          title
        }
      }
    }
  }
`);

async function chats(server: HttpClient) {
  const { chats } = await server.run(Titles, {});
  return chats.edges.map(({ node }) => node);
}

describe('a started server', () => {
  it('creates the folder of its database, and writes the demo into a new database', async () => {
    const path = join(temporaryFolder(), 'a', 'folder', 'parley.db');
    const server = await startServer({ DATABASE_URL: `file:${path}`, DEMO: 'default' });
    expect(existsSync(path)).toBe(true);
    expect(await chats(server)).toEqual([{ id: 'demo', title: 'A weekend in Portugal' }]);
  });

  it('does not restore a deleted demo', async () => {
    const DATABASE_URL = temporaryDatabaseUrl();
    const first = await startConfigured({ DATABASE_URL, DEMO: 'default' });
    const { deleteChat } = await first.run(DeleteChat, { input: { chatId: 'demo' } });
    expect(deleteChat.__typename).toBe('DeleteChatPayload');
    await first.stop();

    const second = await startConfigured({ DATABASE_URL, DEMO: 'default' });
    expect(await chats(second)).toEqual([]);
  });

  it('writes no demo when the demo is disabled', async () => {
    expect(await chats(await startConfigured({ DATABASE_URL: temporaryDatabaseUrl(), DEMO: 'off' }))).toEqual([]);
  });
});

test('--help prints the usage, and starts no server', async () => {
  const cwd = temporaryFolder();
  const program = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, '--help'], { cwd, env: {} });
  expect(stdout).toMatch(/^Usage: parley start \[options\]\n/);
  expect(readdirSync(cwd)).toEqual([]);
});

describe('a server that cannot start prints the reason', () => {
  it('on an address that is not loopback, and creates no database', async () => {
    const DATABASE_URL = temporaryDatabaseUrl();
    await expect(startConfigured({ DATABASE_URL, HOST: '0.0.0.0' })).rejects.toThrow(
      /^These settings are wrong:\n {2}HOST is not a loopback address: .*$/,
    );
    expect(existsSync(DATABASE_URL.slice('file:'.length))).toBe(false);
  });
});

describe('a process that cannot start exits with 1 and prints only the reason', () => {
  const nothingListens = { code: 1, signal: null, stdout: '' };

  it('on a database of a newer version, which stays unchanged', async () => {
    const DATABASE_URL = temporaryDatabaseUrl();
    await (await startConfigured({ DATABASE_URL })).stop();
    const database = new Database(DATABASE_URL.slice('file:'.length));
    onTestFinished(() => void database.close());
    const name = '99999999999999_of_the_future';
    database
      .prepare(
        `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name) VALUES ('future', 'any', 1, ?)`,
      )
      .run(name);
    const rows = () => database.prepare('SELECT * FROM _prisma_migrations').all();
    const before = rows();

    expect(await failToStart({ DATABASE_URL })).toEqual({
      ...nothingListens,
      stderr: `Cannot use the database ${DATABASE_URL} (DATABASE_URL): the database has the migration "${name}", which this version of Parley does not know\n`,
    });
    expect(rows()).toEqual(before);
  });
});

describe('a server refuses', () => {
  const query = JSON.stringify({ query: '{ viewer { userId } }' });

  async function answerTo(url: string, options: RequestOptions, body = query) {
    const sent = request(url, { method: 'POST', ...options });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it('requests with a foreign host name, against DNS rebinding', async () => {
    const { url } = await startConfigured({ DATABASE_URL: temporaryDatabaseUrl() });
    const json = { 'content-type': 'application/json' };
    const { port } = new URL(url);
    for (const host of ['parley.example', `parley.example:${port}`, 'localhost.example', '127.0.0.1.example']) {
      expect(await answerTo(url, { headers: { ...json, host } })).toMatchObject({
        status: 421,
        body: 'This server accepts requests for localhost only.',
      });
      expect(await answerTo(url, { method: 'GET', headers: { accept: 'text/html', host } }, '')).toMatchObject({
        status: 421,
      });
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      expect(await answerTo(url, { headers: { ...json, host } })).toMatchObject({ status: 200 });
    }
  });

  it('requests with an invalid Host or target, without internal details', async () => {
    const { url } = await startConfigured({ DATABASE_URL: temporaryDatabaseUrl() });
    const { port } = new URL(url);
    const post = `content-type: application/json\r\ncontent-length: ${query.length}\r\nconnection: close\r\n\r\n${query}`;
    for (const host of [
      ...['][', 'a b', '[::1', 'localhost:99999x', 'localhost:99999', 'localhost\r\nhost: localhost'],
      ...['localhost\r\nHOST: parley.example', 'localhost, evil', 'user@localhost', '127.0.0.1.evil', ''],
    ]) {
      const answer = await rawAnswer(Number(port), `POST /graphql HTTP/1.1\r\nhost: ${host}\r\n${post}`);
      expect([host, answer]).toEqual([host, expect.stringMatching(/^HTTP\/1\.1 (421|400) /)]);
      expect(answer).not.toMatch(/Error|node_modules| at /);
    }
    for (const target of ['*', 'http://127.0.0.1/graphql', 'http://[']) {
      const answer = await rawAnswer(Number(port), `POST ${target} HTTP/1.1\r\nhost: localhost\r\n${post}`);
      expect([target, answer]).toEqual([target, expect.stringMatching(/^HTTP\/1\.1 400 /)]);
    }
    expect(await rawAnswer(Number(port), `POST /graphql HTTP/1.1\r\nhost: LOCALHOST\r\n${post}`)).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });
});

test('a stop does not wait for idle connections or half a request', async () => {
  const server = await createParleyServer({ databaseUrl: temporaryDatabaseUrl(), port: 0, shutdownTimeoutMs: 1 });
  const { port } = new URL(await server.start());
  const silent = connect(Number(port), '127.0.0.1');
  const half = connect(Number(port), '127.0.0.1');
  // Not with `once`, which rejects if a socket was reset.
  const closed = Promise.all([silent, half].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  silent.on('error', () => {});
  half.on('error', () => {});
  await Promise.all([once(silent, 'connect'), once(half, 'connect')]);
  half.write('POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\nexpect: 100-continue\r\n\r\n');
  // A server that requests the body has accepted the request.
  await once(half, 'data');
  await server.stop();
  await closed;
});

test('an unfinished demo is written again', async () => {
  const url = temporaryDatabaseUrl();
  const startAndStop = async () => (await createParleyServer({ databaseUrl: url, demo: true })).stop();
  const { store } = await openDatabase({ url });
  const viewer = { userId: 'local', isAdmin: true };
  await createChat(store, viewer, { id: 'demo', metadata: { demo: 'unfinished' } });
  await startAndStop();
  const again = await store.chat('demo');
  expect(again).toMatchObject({ title: 'A weekend in Portugal', metadata: '{"demo":true}' });
  await startAndStop();
  expect(await store.chat('demo')).toEqual(again);
  await store.close();
});

/** The complete response to raw bytes. */
async function rawAnswer(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(bytes);
  return text(socket);
}
