/** WebSocket upgrades: paths, protocols, host names and origins. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startConfigured } from '../../support/server/configured-server.js';
import { startListening } from '../../support/server/listening-server.js';
import { connectWebSocket, openWebSocket, upgradeStatus } from '../../support/server/raw-websocket.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

const KEY = Buffer.alloc(16).toString('base64');

describe('a WebSocket', () => {
  it('is opened at /graphql, with or without a query string, in the protocol graphql-transport-ws', async () => {
    const { webSocketUrl } = await startListening();
    for (const url of [webSocketUrl, `${webSocketUrl}?from=here`]) {
      const { socket, ask } = await connectWebSocket(url);
      expect(socket.protocol).toBe('graphql-transport-ws');
      expect(await ask('1', '{ viewer { userId } }')).toEqual({ data: { viewer: { userId: 'local' } } });
    }
  });

  it('is opened in that protocol among others of the client', async () => {
    const { webSocketUrl } = await startListening();
    const { socket } = await openWebSocket(webSocketUrl, { protocols: ['graphql-ws', 'graphql-transport-ws'] });
    expect(socket.protocol).toBe('graphql-transport-ws');
  });

  it.each(['/', '/graphql/', '/graphqls', '/graphql/more', '/health/live'])('is not opened at %s', async (path) => {
    const { webSocketUrl } = await startListening();
    expect(await upgradeStatus(new URL(path, webSocketUrl).href)).toBe(404);
  });

  it('is closed with 4406 without a protocol', async () => {
    const { webSocketUrl } = await startListening();
    const { closed } = await openWebSocket(webSocketUrl, { protocols: [] });
    expect(await closed).toEqual({ code: 4406, reason: 'Subprotocol not acceptable' });
  });

  it('is closed with 4406 with another protocol', async () => {
    const { webSocketUrl } = await startListening();
    // Clients of this protocol close the socket themselves when the server selects no protocol.
    const head = await rawUpgrade(webSocketUrl, ['Sec-WebSocket-Protocol: graphql-ws']);
    expect(head.toString('latin1')).toMatch(/^HTTP\/1\.1 101 (?![^]*sec-websocket-protocol)/i);
    const frame = head.subarray(head.indexOf('\r\n\r\n') + 4);
    expect({ opcode: frame[0]! & 0x0f, code: frame.readUInt16BE(2) }).toEqual({ opcode: 8, code: 4406 });
  });
});

describe('a request for a WebSocket', () => {
  it('that is not a valid handshake is refused as any other, with the reason', async () => {
    const server = await startConfigured({ DATABASE_URL: temporaryDatabaseUrl(), LOG_LEVEL: 'debug' });
    const answer = await rawUpgrade(server.url, ['Sec-WebSocket-Key: short']);
    expect(answer.toString('latin1')).toBe(
      'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    );
    expect(server.log()).toContain('"status":400');
  });

  it.each(['websocket', 'h2c'])('after other requests on its connection is answered in order: %s', async (protocol) => {
    const { url } = await startListening();
    const { hostname, port } = new URL(url);
    const connection = connect(Number(port), hostname);
    const body = (name: string) => JSON.stringify({ query: `{ ${name}: viewer { userId } }` });
    const post = (name: string) =>
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body(name).length}\r\n\r\n${body(name)}`;
    const names = ['one', 'two', 'three'];
    connection.write(names.map(post).join('') + upgradeRequest('localhost', [], protocol));
    let answer = '';
    connection.on('data', (data: Buffer) => {
      answer += data.toString('latin1');
      if (/HTTP\/1\.1 (101|404)/.test(answer)) connection.destroy();
    });
    await once(connection, 'close');
    const said = answer.match(/HTTP\/1\.1 \d+|(?<=\{"data":\{")\w+/g);
    const last = protocol === 'websocket' ? '101' : '404';
    expect(said).toEqual([...names.flatMap((name) => ['HTTP/1.1 200', name]), `HTTP/1.1 ${last}`]);
  });
});

describe('the host name of a request', () => {
  it.each(['localhost', 'LOCALHOST:4000', '127.0.0.1', '127.9.9.9:80', '[::1]:4000'])('may be %s', async (host) => {
    const { webSocketUrl } = await startListening();
    expect(await upgradeStatus(webSocketUrl, { headers: { host } })).toBe(101);
  });

  it.each(['evil.example', 'evil.example:4000', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'x y'])(
    'may not be %s, even for a page of that host',
    async (host) => {
      const { webSocketUrl } = await startListening();
      expect(await upgradeStatus(webSocketUrl, { headers: { host } })).toBe(421);
      expect(await upgradeStatus(webSocketUrl, { headers: { host }, origin: `http://${host}` })).toBe(421);
    },
  );
});

describe('the origin of a page', () => {
  const allowedOrigins = ['https://chat.example', 'http://127.0.0.1:1'];

  it("may be the server's own, under any of its names, or an allowed one", async () => {
    const { webSocketUrl } = await startListening({ allowedOrigins });
    const { host, port } = new URL(webSocketUrl);
    expect(await upgradeStatus(webSocketUrl)).toBe(101);
    for (const origin of [`http://${host}`, ...allowedOrigins]) {
      expect(await upgradeStatus(webSocketUrl, { origin }), origin).toBe(101);
    }
    const named = { origin: `http://localhost:${port}`, headers: { host: `localhost:${port}` } };
    expect(await upgradeStatus(webSocketUrl, named)).toBe(101);
  });

  it('may not be any other', async () => {
    const { webSocketUrl } = await startListening({ allowedOrigins });
    const { host, port, hostname } = new URL(webSocketUrl);
    const others = [
      'null',
      '',
      'https://evil.example',
      `http://${hostname}`,
      `http://${hostname}:${Number(port) - 1}`,
      `http://localhost:${port}`,
      `http://${host}.evil.example`,
      `http://${host}@evil.example`,
      `http://evil.example/${host}`,
      `http://evil-${host}`,
      host,
      'https://chat.example.evil.example',
      'https://chat.example:8443',
      'http://chat.example',
      'https://CHAT.example',
    ];
    for (const origin of others) expect(await upgradeStatus(webSocketUrl, { headers: { origin } }), origin).toBe(403);
  });

  it('is checked on every path, so that no path reveals more', async () => {
    const { webSocketUrl } = await startListening();
    const elsewhere = new URL('/elsewhere', webSocketUrl).href;
    expect(await upgradeStatus(elsewhere, { origin: 'https://evil.example' })).toBe(403);
  });
});

/** The complete response to an upgrade request, until the connection ends. */
async function rawUpgrade(url: string, headers: string[]): Promise<Buffer> {
  const { host, hostname, port } = new URL(url);
  const connection = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  connection.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    // The server has sent its close frame: close this side, too.
    if (Buffer.concat(chunks).includes(Buffer.from('Subprotocol not'))) connection.end();
  });
  connection.write(upgradeRequest(host, headers));
  await once(connection, 'close');
  return Buffer.concat(chunks);
}

/** @param headers additional headers, which may contain a Sec-WebSocket-Key */
function upgradeRequest(host: string, headers: string[], protocol = 'websocket'): string {
  const key = headers.some((each) => each.startsWith('Sec-WebSocket-Key')) ? [] : [`Sec-WebSocket-Key: ${KEY}`];
  const upgrade = ['Connection: Upgrade', `Upgrade: ${protocol}`, 'Sec-WebSocket-Version: 13'];
  const path = protocol === 'websocket' ? '/graphql' : '/elsewhere';
  return [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...upgrade, ...key, ...headers, '', ''].join('\r\n');
}
