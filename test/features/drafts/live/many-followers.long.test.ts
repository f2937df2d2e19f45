/** Many subscriptions to one draft of the maximum size, on a server with a small heap. */
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startServer, type ServerProcess } from '../../../support/server/server-process.js';
import { temporaryFile } from '../../../support/temporary-folder.js';

const HEAP_MIB = 512;

/** Appends of the maximum size: long texts, and a chunk of many small values. */
const APPENDS = 31;
const CHUNKS = 8;
const CHUNK_BYTES = 31 * 1024;

const chunkAt = (n: number): unknown => {
  if (n % CHUNKS > 0) return `${n} `.padEnd(CHUNK_BYTES, 'x');
  return Array.from({ length: CHUNK_BYTES / 3 }, () => []);
};

const APPEND = `mutation ($offset: Int!, $chunks: [JSON!]!) {
  appendToDraft(input: { chatId: "c", id: "d", offset: $offset, chunks: $chunks }) {
    __typename ... on DraftPayload { draft { length } } ... on Error { message }
  }
}`;

async function writeDraft(server: ServerProcess): Promise<void> {
  await server.post('mutation { createChat(input: { id: "c" }) { __typename } }');
  await server.post('mutation { startDraft(input: { chatId: "c", id: "d" }) { __typename } }');
  for (let offset = 0; offset < APPENDS * CHUNKS; offset += CHUNKS) {
    const chunks = Array.from({ length: CHUNKS }, (_, n) => chunkAt(offset + n));
    const { data } = await server.post(APPEND, { offset, chunks });
    expect(data).toMatchObject({ appendToDraft: { draft: { length: offset + CHUNKS } } });
  }
}

/** Subscriptions differ in offset and aliases, so that no two are the same operation. */
function subscription(n: number): string {
  const aliases = Array.from({ length: 1 + (n % 3) }, (_, k) => `c${n}_${k}: chunks`).join(' ');
  const query = `subscription {
    draft(chatId: "c", id: "d", after: ${n % 97}) { __typename ... on DraftChunks { offset length ${aliases} } }
  }`;
  return JSON.stringify({ id: String(n), type: 'subscribe', payload: { query } });
}

interface Socket {
  /** Settles when `count` subscriptions have received a message. */
  begun(count: number): Promise<void>;
  /** Settles when `count` subscriptions have received the last chunk. */
  ended(count: number): Promise<void>;
}

/** Opens a socket with subscriptions. Messages are not parsed, to keep the client cheap. */
async function follow(url: string, count: number, { reads }: { reads: boolean }): Promise<Socket> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { perMessageDeflate: false });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => {});
  await once(socket, 'open');
  socket.send('{"type":"connection_init"}');
  await once(socket, 'message');
  if (!reads) socket.pause();
  const begun = new Set<string>();
  const ended = new Set<string>();
  socket.on('message', (data: Buffer) => {
    const head = data.toString('utf8', 0, 200);
    const id = /"id":"(\d+)"/.exec(head)?.[1] ?? '';
    begun.add(id);
    if (head.includes(`"length":${APPENDS * CHUNKS},`)) ended.add(id);
    check();
  });
  const waiting = new Set<() => boolean>();
  const check = () => waiting.forEach((settle) => settle() && waiting.delete(settle));
  socket.on('close', check);
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      waiting.add(() => {
        if (isSo()) resolve();
        else if (socket.readyState === WebSocket.CLOSED) reject(new Error('the socket was closed'));
        else return false;
        return true;
      });
      check();
    });
  for (let n = 0; n < count; n++) socket.send(subscription(n));
  return {
    begun: (all) => until(() => begun.size >= all),
    ended: (all) => until(() => ended.size >= all),
  };
}

/** Another client reads the whole draft, and an independent request succeeds. */
async function expectToServe(server: ServerProcess): Promise<void> {
  const another = await follow(server.url, 1, { reads: true });
  await another.ended(1);
  for (let n = 0; n < 10; n++) {
    expect(await server.post('{ chat(id: "c") { id drafts { edges { node { length } } } } }')).toEqual({
      data: { chat: { id: 'c', drafts: { edges: [{ node: { length: APPENDS * CHUNKS } }] } } },
    });
  }
}

test('1,100 subscriptions to one draft of 8 MiB fit into a heap of 512 MiB, with or without reading', async () => {
  const server = await startServer({
    DATABASE_URL: `file:${temporaryFile()}`,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  });
  await writeDraft(server);
  await follow(server.url, 100, { reads: false });
  await expectToServe(server);
  for (let n = 0; n < 10; n++) await follow(server.url, 100, { reads: false });
  await expectToServe(server);
  const reading = await follow(server.url, 100, { reads: true });
  await reading.begun(100);
  await expectToServe(server);
});
