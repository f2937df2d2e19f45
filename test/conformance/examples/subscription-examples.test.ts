/** The clients of docs/subscriptions.md, against a server that is killed and restarted. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../support/server/free-port.js';
import { CreateChat, SaveMessages, userMessage } from '../../support/chats/operations.js';
import { startServer, type ServerProcess } from '../../support/server/server-process.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';

interface Update {
  seq: number;
  __typename?: string;
}
type Follow = (
  options: { url: string; webSocketImpl: unknown; retryWait: () => Promise<void> },
  request: {
    query: string;
    variables: Record<string, unknown>;
    onUpdate: (data: Record<string, Update>) => void;
    onEnd: (error?: unknown) => void;
  },
) => () => void;

const DOCUMENT = readFileSync(new URL('../../../docs/subscriptions.md', import.meta.url), 'utf8');
// Packages resolve from this folder.
const FOLDER = fileURLToPath(new URL('../generated/examples/', import.meta.url));

/** The JavaScript of the document, by the name in its first line. */
const examples = new Map(
  Array.from(DOCUMENT.matchAll(/```js\n(\/\/ (\S+\.js)[^]*?)```/g), ([, code = '', name = '']) => [name, code]),
);
const [chatEvents = '', branchHead = ''] = Array.from(
  DOCUMENT.matchAll(/```graphql\n([^]*?)```/g),
  ([, query]) => query,
);

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, code] of examples) writeFileSync(join(FOLDER, name), code);
});
afterAll(() => rmSync(FOLDER, { recursive: true }));

async function save(server: ServerProcess, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    const input = { chatId: 'c', messages: [userMessage(id)], onConflict: 'REJECT' as const };
    const { saveMessages } = await server.run(SaveMessages, { input });
    expect(saveMessages.__typename).toBe('SaveMessagesPayload');
  }
}

describe.each([
  ['graphql-ws.js', 'followWithGraphqlWs'],
  ['urql.js', 'followWithUrql'],
  ['apollo.js', 'followWithApollo'],
])('the example %s', (file, name) => {
  it.each([
    ['chatEvents', chatEvents],
    ['branchHead', branchHead],
  ])('follows %s across a killed server, without gaps and repetitions', async (field, query) => {
    const module = (await import(join(FOLDER, file))) as Record<string, Follow>;
    const DATABASE_URL = temporaryDatabaseUrl();
    const server = await startServer({ DATABASE_URL, PORT: String(await freePort()) });
    await server.run(CreateChat, { input: { id: 'c' } });

    const seqs: number[] = [];
    const waiting = new Map<number, () => void>();
    const got = (seq: number) =>
      new Promise<void>((resolve) => (seqs.includes(seq) ? resolve() : waiting.set(seq, resolve)));
    let unfollow = () => {};
    const ended = new Promise<unknown>((resolve) => {
      unfollow = module[name]!(
        // Retry without a delay; in a browser, keep the default retryWait.
        { url: server.url.replace('http', 'ws'), webSocketImpl: WebSocket, retryWait: () => Promise.resolve() },
        {
          query,
          variables: { chatId: 'c', after: 3 },
          onUpdate: (data) => {
            const { seq } = data[field]!;
            seqs.push(seq);
            waiting.get(seq)?.();
          },
          onEnd: resolve,
        },
      );
    });
    onTestFinished(() => unfollow());

    await save(server, 'a', 'b');
    await got(5);
    server.kill('SIGKILL');
    await server.exited;
    const again = await startServer({ DATABASE_URL, PORT: new URL(server.url).port });
    await save(again, 'c', 'd');
    await got(7);
    await again.post('mutation { deleteChat(input: { chatId: "c" }) { __typename } }');
    expect(await ended).toBeUndefined();
    expect(seqs).toEqual(field === 'chatEvents' ? [4, 5, 6, 7, 8] : [4, 5, 6, 7]);
  });
});
