/** Requests that no browser sends, and a server with little memory. */
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { postJson } from '../../support/server/http-client.js';
import type { Settings } from '../../support/server/server-process.js';
import { bearer, SECRET } from '../../support/server/tokens.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

/** In MiB: too small to retain request bodies, or the maximum buffers of a thousand sockets. */
const HEAP = 96;
export const MiB = 1024 * 1024;

/** A process with little memory; its timeout is long, unless a test sets it. */
export async function startWithLongTimeouts<Server>(
  start: (settings: Settings) => Promise<Server>,
  settings: Partial<Settings> = {},
) {
  const server = await start({
    DATABASE_URL: temporaryDatabaseUrl(),
    AUTH_JWT_SECRET: SECRET,
    REQUEST_TIMEOUT_MS: '600000',
    RATE_LIMIT_PER_ADDRESS: '0',
    NODE_OPTIONS: `--max-old-space-size=${HEAP}`,
    ...settings,
  });
  return { ...server, alice: await bearer('alice') };
}

/** Whether a normal client receives a response. */
export async function isAnswered({ url, alice }: { url: string; alice: { authorization: string } }): Promise<boolean> {
  const response = await postJson(url, { query: '{ viewer { userId } }' }, alice);
  return (await response.text()) === '{"data":{"viewer":{"userId":"alice"}}}';
}

/** A raw connection; `closed` returns the received bytes after it closes. */
export function open(url: string): { socket: Socket; answer: Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString('latin1')));
  return { socket, answer: new Promise((resolve) => socket.once('close', () => resolve(text))) };
}

export function head(method: string, headers: Record<string, string>): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} /graphql HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}

export const JSON_TYPE = { 'content-type': 'application/json' };
/** The answer to a body above the limit. */
export const TOO_LARGE = /^HTTP\/1\.1 413 [^]*"The body must have at most 4194304 bytes"[^]*"PAYLOAD_TOO_LARGE"/;

/** Sends a body of unknown length that has one byte too many. */
export async function sendTooLarge({ url, alice }: { url: string; alice: { authorization: string } }): Promise<string> {
  // A client that continues to write may be disconnected before it reads the reason.
  const body = Buffer.alloc(4 * MiB + 1, 'x');
  const { socket, answer } = open(url);
  socket.write(head('POST', { ...JSON_TYPE, ...alice, 'transfer-encoding': 'chunked' }));
  socket.write(`${body.length.toString(16)}\r\n`);
  socket.write(body);
  return answer;
}

/** Sends a query and a number of spaces, each byte in a separate chunk. */
export async function sendByteByByte(
  { url, alice }: { url: string; alice: { authorization: string } },
  spaces: number,
): Promise<string> {
  const { socket, answer } = open(url);
  const headers = { ...JSON_TYPE, ...alice, 'transfer-encoding': 'chunked', connection: 'close' };
  const byteByByte = (text: string) => [...text].map((byte) => `1\r\n${byte}\r\n`).join('');
  socket.write(`${head('POST', headers)}${byteByByte('{"query":"{ viewer { userId } }"}')}`);
  socket.write(`${byteByByte(' '.repeat(spaces))}0\r\n\r\n`);
  return answer;
}
