/** Imports that could exhaust memory or disk, and unfinished uploads. */
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import {
  endlessChat,
  futureChats,
  manyNodes,
  manySmallObjects,
  zipOfSharedParts,
} from '../../../features/imports/http/hostile-files.js';
import type { Headers } from '../users.js';
import type { Attack, Target } from './attack.js';
import { flood } from './flood.js';
import { post } from './requests.js';

const UPLOADS = 16;
const UNFINISHED_MS = 8_000;
/** Messages of a chat whose import takes many transactions. */
const LARGE_CHAT_MESSAGES = 20_000;
const FUTURE_CHATS = 1_000;
/** At most MAX_ROOT_FIELDS. */
const CHATS_PER_DELETION = 30;

function* largeChat(): Generator<string> {
  for (let n = 0; n < LARGE_CHAT_MESSAGES; n++) {
    const parentId = n === 0 ? null : `m${n - 1}`;
    yield `${JSON.stringify({ id: `m${n}`, parentId, name: 'user', content: 'large' })}\n`;
  }
}

/** Compressed once, for the first attack that needs it. */
function compressed(texts: () => Iterable<string>): () => Promise<Buffer> {
  let made: Promise<Buffer> | undefined;
  return () => (made ??= buffer(Readable.from(texts()).pipe(createGzip({ level: 1 }))));
}

const smallObjects = compressed(manySmallObjects);
const unfinishedChat = compressed(endlessChat);
const wholeChat = compressed(largeChat);
const manyNodesOfAPath = compressed(manyNodes);
const chatsOf9999 = compressed(() => futureChats(FUTURE_CHATS));
const sharedParts = zipOfSharedParts(1024 * 1024);

interface Line {
  error?: { code: string };
  errors?: { extensions: { code: string } }[];
  conversation?: { chatId: string };
}

/** @returns the code of the error, in a line or alone, or the status without an error; 'cut' without a response */
async function upload({ url }: Target, headers: Headers, body: Buffer, onChat?: (id: string) => void): Promise<string> {
  try {
    const response = await fetch(url.replace('/graphql', '/import'), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', ...headers },
      body: new Uint8Array(body),
    });
    const lines = (await response.text()).trimEnd().split('\n');
    const values = lines.map((line) => JSON.parse(line) as Line);
    for (const { conversation } of values) if (conversation !== undefined) onChat?.(conversation.chatId);
    const last = values.at(-1);
    return last?.error?.code ?? last?.errors?.[0]?.extensions.code ?? String(response.status);
  } catch {
    return 'cut';
  }
}

const uploadsOf = (body: () => Promise<Buffer>) => async (target: Target) => {
  const bytes = await body();
  return Promise.all(target.people.slice(0, 2).map((headers) => upload(target, headers, bytes)));
};

/** The user deletes the chats afterwards, so that the data of the soak stays bounded. */
const importOf = (body: () => Promise<Buffer>) => async (target: Target) => {
  const [headers] = target.people;
  if (headers === undefined) return [];
  const ids: string[] = [];
  const code = await upload(target, headers, await body(), (id) => ids.push(id));
  for (let n = 0; n < ids.length; n += CHATS_PER_DELETION) {
    const deletions = ids
      .slice(n, n + CHATS_PER_DELETION)
      .map((id, i) => `d${i}: deleteChat(input: { chatId: ${JSON.stringify(id)}, permanently: true }) { __typename }`);
    await post(target, headers, JSON.stringify({ query: `mutation Delete { ${deletions.join(' ')} }` }));
  }
  return [code];
};

export const ZIP_BOMB: Attack = {
  name: 'a zip of parts that share bytes',
  make: (target) => upload(target, target.user, sharedParts),
  expected: ['BAD_REQUEST', 'RATE_LIMITED', 'TOO_MANY_OPERATIONS'],
};

export const IMPORT_FLOODS: readonly Attack[] = [
  flood('imports of many small objects', uploadsOf(smallObjects)),
  flood('imports of a chat without an end', uploadsOf(unfinishedChat)),
  flood('an import of a large chat', importOf(wholeChat)),
  flood('an import of many nodes', importOf(manyNodesOfAPath)),
  flood('an import of chats of the year 9999', importOf(chatsOf9999)),
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
    await pause(UNFINISHED_MS);
    for (const socket of sockets) socket.destroy();
    return [];
  }),
];
