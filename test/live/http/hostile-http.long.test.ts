/** Clients that try to exhaust a process with little memory: it stays up, and nothing is left after they leave. */
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { startServer } from '../../support/server/server-process.js';
import { isAnswered, sendByteByByte, sendTooLarge, startWithLongTimeouts, TOO_LARGE } from './hostile-clients.js';

/** The connections and files of a process. */
const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

describe('a body', () => {
  it('that is too large uses no memory', async () => {
    const server = await startWithLongTimeouts(startServer);
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => sendTooLarge(server)));
      for (const answer of answers) expect(answer).toMatch(TOO_LARGE);
    }
    expect(await isAnswered(server)).toBe(true);
  });

  it('that arrives byte by byte uses no more memory than its bytes', async () => {
    const server = await startWithLongTimeouts(startServer);
    expect(await sendByteByByte(server, 400_000)).toMatch(/^HTTP\/1\.1 200 [^]*"alice"/);
    expect(await isAnswered(server)).toBe(true);
  });
});

describe('an operation', () => {
  it('that requests more than the process can hold is refused, alone or among many', async () => {
    const server = await startWithLongTimeouts(startServer, {
      RATE_LIMIT_PER_USER: '0',
      NODE_OPTIONS: '--max-old-space-size=256',
    });
    const ask = (query: string, variables?: unknown) => server.post(query, variables, server.alice);
    await ask('mutation { createChat(input: { id: "large" }) { __typename } }');
    const messages = Array.from({ length: 3 }, () => ({ name: 'user', content: { data: 'x'.repeat(1_000_000) } }));
    for (let n = 0; n < 30; n += messages.length) {
      const document = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
      await ask(document, { input: { chatId: 'large', messages } });
    }
    const many = (limit: number) => {
      const query = `{ chat(id: "large") { activeBranch { chain(limit: ${limit}) { data } } } }`;
      return Promise.all(Array.from({ length: 40 }, () => ask(query)));
    };
    for (const { errors } of await many(30)) expect(errors).toMatchObject([{ extensions: { code: 'TOO_LARGE' } }]);
    const codes = (await many(2)).flatMap(({ errors = [] }) => errors);
    for (const error of codes) expect(error).toMatchObject({ extensions: { code: 'OVERLOADED' } });
    expect(codes.length).toBeLessThan(40);
    expect(await isAnswered(server)).toBe(true);
  });
});

describe('connections', () => {
  it('of one address, a thousand of them, do not affect other addresses, and leave nothing', async () => {
    const server = await startWithLongTimeouts(startServer, {
      MAX_SOCKETS_PER_ADDRESS: '100',
      MAX_CONNECTIONS_PER_ADDRESS: '0',
    });
    expect(await isAnswered(server)).toBe(true);
    const before = openFiles(server.pid);
    const webSocketUrl = server.url.replace('http:', 'ws:');
    const statuses = new Map<number, number>();
    const sockets = await Promise.all(
      Array.from({ length: 1_000 }, async () => {
        const socket = new WebSocket(webSocketUrl, 'graphql-transport-ws');
        socket.on('error', () => {});
        const status = await new Promise<number>((resolve) => {
          socket.once('open', () => resolve(101));
          socket.once('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode));
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        return socket;
      }),
    );
    expect(Object.fromEntries(statuses)).toEqual({ 101: 100, 429: 900 });
    expect(await isAnswered(server)).toBe(true);
    for (const socket of sockets) socket.terminate();
    await expect.poll(() => openFiles(server.pid)).toBeLessThanOrEqual(before + 2);
    expect(await isAnswered(server)).toBe(true);
  });

  it('beyond the descriptors of the process are logged once, and so is the recovery', async () => {
    const { url, stderr, post } = await startServer({ DATABASE_URL: temporaryDatabaseUrl() }, { openFiles: 400 });
    const { hostname, port } = new URL(url);
    const lines = () => [...stderr().matchAll(/"msg":"(Connections .*?)"/g)].map(([, line]) => line);
    const sockets = Array.from({ length: 500 }, () => connect(Number(port), hostname).on('error', () => {}));
    const full = 'Connections cannot be accepted: the process can open no more of them, nor files (EMFILE)';
    await expect.poll(lines).toEqual([full]);
    for (const socket of sockets) socket.destroy();
    await expect.poll(lines).toEqual([full, 'Connections are accepted again']);
    expect(await post('{ viewer { userId } }')).toHaveProperty('data');
  });
});
