/**
 * Hostile clients of a process with little memory: the process serves other clients, and releases all resources when
 * the hostile clients disconnect.
 */
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { startConfigured } from '../../support/server/configured-server.js';
import { startListening } from '../../support/server/listening-server.js';
import { startServer, type Settings } from '../../support/server/server-process.js';
import { bearer, SECRET } from '../../support/server/tokens.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

/** In MiB: too small to retain request bodies, or the maximum buffers of a thousand sockets. */
const HEAP = 96;
const MiB = 1024 * 1024;

/** A process with little memory; timeouts are long for slow machines, unless a test sets them. */
async function startPatient<Server>(start: (settings: Settings) => Promise<Server>, settings: Partial<Settings> = {}) {
  const server = await start({
    DATABASE_URL: temporaryDatabaseUrl(),
    AUTH_JWT_SECRET: SECRET,
    REQUEST_TIMEOUT_MS: '20000',
    RATE_LIMIT_PER_ADDRESS: '0',
    NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
    ...settings,
  });
  return { ...server, alice: await bearer('alice') };
}

/** Whether a normal client receives a response. */
async function isAnswered({ url, alice }: { url: string; alice: { authorization: string } }): Promise<boolean> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...alice },
    body: '{"query":"{ viewer { userId } }"}',
  });
  return (await response.text()) === '{"data":{"viewer":{"userId":"alice"}}}';
}

/** A raw connection; `closed` returns the received bytes after it closes. */
function open(url: string): { socket: Socket; answer: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString('latin1')));
  return { socket, answer: new Promise((resolve) => socket.once('close', () => resolve(text))) };
}

function head(method: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} /graphql HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

/** The number of open connections and files of a process. */
const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

describe('a body', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };

  it('that is too large is refused, with or without a declared length, and uses no memory', async () => {
    const server = await startPatient(startServer);
    const { url, alice } = server;
    const refused = /^HTTP\/1\.1 413 [^]*"The body must have at most 4194304 bytes"[^]*"PAYLOAD_TOO_LARGE"/;
    // One byte too many: a client that continues to write may be disconnected before it reads the reason.
    const body = Buffer.alloc(4 * MiB + 1, 'x');
    for (let round = 0; round < 6; round++) {
      const answers = Array.from({ length: 4 }, () => {
        const { socket, answer } = open(url);
        socket.write(head('POST', { ...JSON_TYPE, ...alice, 'transfer-encoding': 'chunked' }));
        socket.write(`${body.length.toString(16)}\r\n`);
        socket.write(body);
        return answer;
      });
      for (const answer of await Promise.all(answers)) expect(answer).toMatch(refused);
    }
    const told = open(url);
    told.socket.write(head('POST', { ...JSON_TYPE, ...alice, 'content-length': String(5 * MiB) }));
    expect(await told.answer).toMatch(refused);
    expect(await isAnswered(server)).toBe(true);
  });

  it('that arrives byte by byte uses no more memory than its bytes', async () => {
    const server = await startPatient(startServer);
    const { socket, answer } = open(server.url);
    const headers = { ...JSON_TYPE, ...server.alice, 'transfer-encoding': 'chunked', connection: 'close' };
    const byteByByte = (text: string) => [...text].map((byte) => `1\r\n${byte}\r\n`).join('');
    socket.write(`${head('POST', headers)}${byteByByte('{"query":"{ viewer { userId } }"}')}`);
    socket.end(`${byteByByte(' '.repeat(400_000))}0\r\n\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [^]*"alice"/);
    expect(await isAnswered(server)).toBe(true);
  });

  it('that is slow or never arrives times out', async () => {
    const server = await startPatient(startConfigured, { REQUEST_TIMEOUT_MS: '1000' });
    const headers = { ...JSON_TYPE, ...server.alice, 'content-length': '1000' };
    const beginnings = [
      '',
      'POST /gra',
      head('POST', headers).slice(0, -2),
      head('POST', headers),
      `${head('POST', headers)}{`,
    ];
    const clients = Array.from({ length: 8 }, () => beginnings)
      .flat()
      .map((beginning) => {
        const client = open(server.url);
        client.socket.write(beginning);
        return client;
      });
    expect(await isAnswered(server)).toBe(true);
    const answers = await Promise.all(clients.map(({ answer }) => answer));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(await isAnswered(server)).toBe(true);
    await server.stop();
    expect(server.log()).not.toContain('"level":"error"');
  });

  it.each([
    [
      'is no UTF-8',
      Buffer.concat([Buffer.from('{"query":"{ viewer { userId } }'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      'The body must be UTF-8',
    ],
    ['is no JSON', Buffer.from('{"query":"secret'), 'The body must be JSON'],
    ['is no object', Buffer.from('"{ viewer { userId } }"'), 'The body must be a JSON object'],
    ['is a list', Buffer.from('[{"query":"{ viewer { userId } }"}]'), 'Batching is not supported.'],
    [
      'has a prototype',
      Buffer.from('{"__proto__":{"query":"{ viewer { userId } }"}}'),
      'Unexpected parameter "__proto__" in the request body.',
    ],
  ])('that %s is refused with the reason', async (_, body, message) => {
    const { url } = await startListening();
    const response = await fetch(url, { method: 'POST', headers: { ...JSON_TYPE, 'x-user-id': 'alice' }, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      errors: [{ message, extensions: { code: expect.any(String) as string } }],
    });
  });

  it('with keys of Object.prototype is read unchanged', async () => {
    const { url } = await startListening();
    const metadata = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"toString":1}';
    const query =
      'mutation ($m: JSON) { createChat(input: { metadata: $m }) { ... on CreateChatPayload { chat { metadata } } } }';
    const body = `{"query":${JSON.stringify(query)},"variables":{"m":${metadata},"__proto__":{"m":{}}},"extensions":{"__proto__":{}}}`;
    const response = await fetch(url, { method: 'POST', headers: { ...JSON_TYPE, 'x-user-id': 'alice' }, body });
    const text = await response.text();
    expect(JSON.parse(/"metadata":(.+)\}\}\}\}$/.exec(text)![1]!)).toEqual(JSON.parse(metadata));
    const asked = await fetch(url, {
      method: 'POST',
      headers: { ...JSON_TYPE, 'x-user-id': 'alice' },
      body: '{"query":"{ viewer { isAdmin } }"}',
    });
    expect(await asked.json()).toEqual({ data: { viewer: { isAdmin: false } } });
  });
});

describe('an operation', () => {
  it('that requests more than the process can hold is refused, alone or among many', async () => {
    const server = await startPatient(startServer, {
      RATE_LIMIT_PER_USER: '0',
      NODE_OPTIONS: '--max-old-space-size=256',
    });
    const ask = async (query: string, variables?: unknown) => {
      const headers = { 'content-type': 'application/json', ...server.alice };
      const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
      return (await response.json()) as { errors?: object[] };
    };
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
    const codes = (await many(4)).flatMap(({ errors = [] }) => errors);
    for (const error of codes) expect(error).toMatchObject({ extensions: { code: 'OVERLOADED' } });
    expect(codes.length).toBeLessThan(40);
    expect(await isAnswered(server)).toBe(true);
  });
});

describe('connections', () => {
  it('with too many headers are refused, and do not delay others', async () => {
    const server = await startPatient(startConfigured);
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`x-${n}`, 'y'.repeat(100)]));
    const clients = Array.from({ length: 20 }, () => {
      const client = open(server.url);
      client.socket.write(head('GET', many));
      return client;
    });
    // Clients that continue to write may be disconnected before they read the reason.
    const answers = await Promise.all(clients.map(({ answer }) => answer));
    for (const answer of answers) expect(answer).toMatch(/^$|^HTTP\/1\.1 431 /);
    expect(await isAnswered(server)).toBe(true);
  });

  it('with a few pipelined requests are answered, with hundreds they are closed', async () => {
    const { url } = await startListening();
    const request = (connection: string) =>
      head('GET', { accept: 'application/json', connection }).replace('/graphql', '/graphql?query={viewer{userId}}');
    const few = open(url);
    few.socket.write(request('keep-alive').repeat(9) + request('close'));
    expect((await few.answer).match(/"userId":"local"/g)).toHaveLength(10);
    const many = open(url);
    many.socket.write(request('keep-alive').repeat(400));
    expect((await many.answer).match(/"userId":"local"/g) ?? []).not.toHaveLength(400);
  });

  it('of one address, a thousand of them, do not affect other addresses, and leave nothing', async () => {
    const server = await startPatient(startServer, {
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
    await expect.poll(() => openFiles(server.pid), { timeout: 20_000 }).toBeLessThanOrEqual(before + 2);
    expect(await isAnswered(server)).toBe(true);
  });
});
