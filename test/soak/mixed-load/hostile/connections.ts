/** Connections without HTTP, or that violate it on purpose. */
import { connect } from 'node:net';
import type { Attack } from './attack.js';

/** Longer than the time limit of a request, in milliseconds. */
const GIVEN_UP_MS = 45_000;

/** The interval of a slow client's bytes, in milliseconds. */
const DRIP_MS = 1_000;

const REQUEST = 'POST /graphql HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n';

/**
 * Opens a connection and sends bytes.
 * @param drip bytes that are sent repeatedly, slowly
 * @returns the status of the response; 'closed' if the server closed without one, 'open' if it did neither
 */
function send(url: string, bytes: string | Buffer, drip?: string): Promise<number | string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let answer = '';
    const dripping = setInterval(() => drip !== undefined && socket.writable && socket.write(drip), DRIP_MS);
    const givenUp = setTimeout(() => end('open'), GIVEN_UP_MS);
    const end = (outcome: string) => {
      clearInterval(dripping);
      clearTimeout(givenUp);
      socket.destroy();
      const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
      resolve(status === undefined ? outcome : Number(status));
    };
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text));
    socket.on('error', () => {}).on('close', () => end('closed'));
    socket.write(bytes);
  });
}

export const CONNECTIONS: readonly Attack[] = [
  {
    name: 'a body that comes byte by byte',
    make: ({ url }) => send(url, `${REQUEST}content-length: 1000\r\n\r\n`, 'x'),
    // The test does not wait for clients without a token.
    expected: [401, 408, 'closed'],
  },
  {
    name: 'a body that comes byte by byte, with a token',
    make: ({ url, user }) => send(url, `${REQUEST}${headerLines(user)}content-length: 1000\r\n\r\n{`, ' '),
    expected: [408, 'closed'],
  },
  {
    name: 'headers that come byte by byte',
    make: ({ url }) => send(url, `${REQUEST}x-slow: `, 'x'),
    expected: [408, 'closed'],
  },
  { name: 'nothing at all', make: ({ url }) => send(url, ''), expected: [408, 'closed'] },
  {
    name: 'a flood of headers',
    make: ({ url }) => send(url, `${REQUEST}${'x-more: more and more\r\n'.repeat(5_000)}\r\n`),
    expected: [431, 'closed'],
  },
  { name: 'garbage', make: ({ url }) => send(url, Buffer.alloc(4_096, 0x16)), expected: [400, 'closed'] },
  {
    name: 'two lengths at once',
    make: ({ url }) => send(url, `${REQUEST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    expected: [400, 'closed'],
  },
];

function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}
