/** Files that would take memory or disk when they are imported, and uploads that do not end. */
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { writeZip } from '../../../test/interchange/write-zip.js';
import type { Headers } from '../people.js';
import type { Attack, Target } from './attack.js';
import { flood } from './flood.js';

const OBJECTS = 800_000;
const MESSAGES = 1_000_000;
const PARTS = 40_000;
const UPLOADS = 16;
const STAY_MS = 8_000;

const CHATGPT_CONVERSATION =
  '{"title":"t","conversation_id":"c","current_node":"a","mapping":{"a":{"id":"a","parent":null,"children":[],"message":' +
  '{"id":"a","author":{"role":"user"},"metadata":{},"content":{"content_type":"text","parts":["x"]}}}},"extra":[';

/** Packed once, when the first attack needs them. */
const manyObjects = once(() => gzipSync(`[${CHATGPT_CONVERSATION}${'{"a":1},'.repeat(OBJECTS)}{}]}]`, { level: 1 }));
const endlessChat = once(() => {
  const time = '2026-01-01T00:00:00.000Z';
  const chat = { id: 'c', userId: 'u', title: null, metadata: {}, createdAt: time, updatedAt: time, version: 1 };
  const message = (n: number) =>
    JSON.stringify({
      message: {
        id: `m${n}`,
        parentId: n === 0 ? null : `m${n - 1}`,
        name: 'user',
        type: 'message',
        data: 'x',
        createdAt: time,
      },
    });
  const lines = Array.from({ length: MESSAGES }, (_, n) => message(n));
  return gzipSync([JSON.stringify({ parley: 1, chat: { ...chat, messages: MESSAGES } }), ...lines].join('\n'), {
    level: 1,
  });
});
const sharedParts = once(() => {
  const part = Buffer.alloc(1024 * 1024);
  const parts = Array.from({ length: PARTS }, (_, n) => [`conversations-${n}.zip`, part]);
  return writeZip(Object.fromEntries(parts) as Record<string, Buffer>, true);
});

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

type LastLine = { error?: { code: string }; errors?: { extensions: { code: string } }[] };

/** @returns the code of the error, in a line or alone, or the status where there is none; 'cut' without an answer */
async function upload({ url }: Target, headers: Headers, body: Buffer): Promise<string> {
  try {
    const response = await fetch(url.replace('/graphql', '/import'), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body: new Uint8Array(body),
    });
    const last = JSON.parse((await response.text()).trimEnd().split('\n').at(-1) ?? '') as LastLine;
    return last.error?.code ?? last.errors?.[0]?.extensions.code ?? String(response.status);
  } catch {
    return 'cut';
  }
}

const uploadsOf = (body: () => Buffer) => (target: Target) =>
  Promise.all(target.people.slice(0, 2).map((headers) => upload(target, headers, body())));

export const ZIP_BOMB: Attack = {
  name: 'a zip of parts that share bytes',
  make: (target) => upload(target, target.user, sharedParts()),
  expected: ['BAD_REQUEST', 'RATE_LIMITED', 'TOO_MANY_OPERATIONS'],
};

export const IMPORT_FLOODS: readonly Attack[] = [
  flood('imports of many small objects', uploadsOf(manyObjects)),
  flood('imports of a chat without an end', uploadsOf(endlessChat)),
  flood('uploads that do not end', async ({ url, people }) => {
    const sockets = people
      .slice(0, UPLOADS / 2)
      .flatMap((headers) => [headers, headers])
      .map((headers) => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        const head =
          'POST /import HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/jsonl\r\ncontent-length: 99999\r\n';
        socket.on('error', () => {}).write(`${head}${lines.join('')}\r\n{`);
        return socket;
      });
    await pause(STAY_MS);
    for (const socket of sockets) socket.destroy();
    return [];
  }),
];
