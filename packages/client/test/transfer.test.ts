/** Exports and imports of real servers, over HTTP. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { signToken } from '../../../src/features/signed-tokens/sign-token.js';
import { startListening } from '../../../test/support/server/listening-server.js';
import { startProxy } from '../../../test/support/server/tcp-proxy.js';
import { AUTH } from '../../../test/support/server/tokens.js';
import { RequestError, UnauthorizedError, UnreachableError } from '../src/client.js';
import {
  createTransfer,
  type ImportedConversation,
  type ImportEnd,
  type ImportLine,
  type ImportProgress,
  type Transfer,
} from '../src/transfer/transfer.js';

/** A server that imports in its own process: starting another takes most of the time of an import. */
const IN_MEMORY = { databaseUrl: ':memory:' };

/** Lines with one conversation each. */
const conversations = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({ id: `c${n}`, conversations: [{ from: 'human', value: `Question ${n}` }] }),
  ).join('\n');

async function linesOf(lines: ReturnType<Transfer['importChats']>): Promise<(ImportLine | ImportEnd)[]> {
  const all = [];
  for await (const line of lines) all.push(line);
  return all;
}

test('a chat that is exported from one server and imported into another is unchanged', async () => {
  const [from, to] = [await startListening({ demo: true }), await startListening(IN_MEMORY)];
  const query = `{ chat(id: "demo") { title version messageCount branches(first: 9) { edges { node { id name head { id } } } }
    checkpoints { edges { node { name } } } } }`;
  const exported = await createTransfer(from).exportChats({ chatId: 'demo' });
  expect(exported).toMatchObject({
    fileName: 'A-weekend-in-Portugal.demo.parley.jsonl',
    notHeld: ['drafts that are being written', 'contents of files, which a zip has'],
  });
  const lines = await linesOf(createTransfer(to).importChats(exported.body));
  expect(lines).toMatchObject([
    { conversation: { chatId: 'demo', result: 'imported', format: 'parley' } },
    { totals: { conversations: { imported: 1, updated: 0, unchanged: 0, failed: 0 } }, couldNotRead: [] },
  ]);
  expect(await to.ask(query)).toEqual(await from.ask(query));
  const markdown = await createTransfer(from).exportChats({ chatId: 'demo', format: 'markdown', paths: 'leaves' });
  expect(markdown.notHeld.length).toBeGreaterThan(0);
  expect(await (await markdown.blob()).text()).toContain('# A weekend in Portugal');
});

test('an export as a zip has a file for each chat, and a name with all characters of the title', async () => {
  const server = await startListening({ demo: true });
  await server.ask(`mutation { updateChat(input: { chatId: "demo", title: "Água: \\"Lisboa\\"" }) { __typename } }`);
  const { exportChats } = createTransfer(server);
  const zip = await exportChats({ format: 'markdown', zip: true });
  expect(zip).toMatchObject({ fileName: 'chats.zip', mediaType: 'application/zip' });
  // The name of a file is in the zip as it is.
  expect(await (await zip.blob()).text()).toMatch(/^PK[^]*Água[^]*\.md/);
  expect(await exportChats({ chatId: 'demo', format: 'markdown', zip: false })).toMatchObject({
    fileName: expect.stringMatching(/^Água.*\.md$/) as unknown,
  });
});

test('the name of a File is the title of a prompt of AI Studio, and does not make it another one', async () => {
  const { importChats } = createTransfer(await startListening(IN_MEMORY));
  const text = JSON.stringify({ runSettings: {}, chunkedPrompt: { chunks: [{ role: 'user', text: 'Summarize' }] } });
  const resultOf = async (file: File | string, fileName?: string) => {
    const [line] = await linesOf(importChats(file, fileName === undefined ? {} : { fileName }));
    const { title, result } = (line as { conversation: ImportedConversation }).conversation;
    return [title, result];
  };
  expect(await resultOf(new File([text], 'Leeks'))).toEqual(['Leeks', 'imported']);
  expect(await resultOf(text, 'Salt.json')).toEqual(['Salt', 'unchanged']);
  expect(await resultOf(text)).toEqual(['Summarize', 'unchanged']);
});

test('the report names the place of parts that cannot be read; refused requests throw', async () => {
  const server = await startListening(IN_MEMORY);
  const transfer = createTransfer(server);
  const lines = await linesOf(transfer.importChats(new Blob([conversations(1), '\n{"mapping": 5}\n'])));
  expect(lines).toMatchObject([
    { conversation: { place: 'line 1', title: null } },
    { couldNotRead: { place: 'line 2' } },
    { totals: { conversations: { imported: 1, failed: 1 } } },
  ]);
  await expect(transfer.exportChats({ chatId: 'nowhere' })).rejects.toMatchObject({
    constructor: RequestError,
    code: 'NOT_FOUND',
    message: 'There is no such chat',
  });
  await expect(linesOf(transfer.importChats('{}', { format: 'nothing' }))).rejects.toMatchObject({
    constructor: RequestError,
    code: 'BAD_REQUEST',
  });
  await server.stop();
  await expect(transfer.exportChats()).rejects.toThrow(UnreachableError);
});

test('an import throws after a broken connection, and ends when it is aborted', async () => {
  const server = await startListening();
  const { hostname, port } = new URL(server.url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const file = conversations(200);
  const broken = createTransfer({ url: `http://127.0.0.1:${proxy.port}/graphql` }).importChats(file);
  await broken.next();
  proxy.cut();
  await expect(linesOf(broken)).rejects.toMatchObject({
    constructor: UnreachableError,
    message: expect.stringContaining('import the file again to add the rest') as string,
  });
  const stopping = new AbortController();
  const stopped = createTransfer(server).importChats(file, { signal: stopping.signal });
  await stopped.next();
  stopping.abort(new Error('enough'));
  await expect(linesOf(stopped)).rejects.toThrow('enough');
  // A third import is refused until the server has ended both, after their current conversations.
  let again: object[] = [];
  const importAgain = async () => (again = await linesOf(createTransfer(server).importChats(file)));
  await expect.poll(importAgain).toHaveLength(201);
  expect(again.at(-1)).toMatchObject({ totals: { conversations: { failed: 0 } } });
});

test('a refused token is renewed; a fixed token that is refused throws', async () => {
  const server = await startListening({ ...IN_MEMORY, auth: AUTH });
  const sign = (lifetime: number) => signToken(AUTH, { userId: 'u', isAdmin: false, lifetime });
  const asked: boolean[] = [];
  const token = (isRefused: boolean) => {
    asked.push(isRefused);
    return sign(isRefused ? 3600 : -3600);
  };
  const lines = await linesOf(createTransfer({ ...server, token }).importChats(conversations(1)));
  expect([lines.length, asked]).toEqual([2, [false, true]]);
  const expired = createTransfer({ ...server, token: await sign(-3600) });
  await expect(expired.exportChats()).rejects.toThrow(UnauthorizedError);
});

test('the progress of a stream and of the server is reported', async () => {
  const server = await startListening(IN_MEMORY);
  const file = conversations(2);
  const sent: ImportProgress[] = [];
  const lines = await linesOf(
    createTransfer(server).importChats(new Blob([file]).stream(), { onProgress: (progress) => sent.push(progress) }),
  );
  expect(lines).toHaveLength(3);
  expect(sent.at(0)).toMatchObject({ state: 'sending', of: null });
  expect(sent.filter(({ state }) => state === 'sending').at(-1)).toEqual({
    state: 'sending',
    bytes: Buffer.byteLength(file),
    of: null,
  });
  const size = Buffer.byteLength(file);
  expect(sent.slice(-2)).toEqual(Array(2).fill({ state: 'reading', bytes: size, of: size }));

  const slow = createServer((request, response) => {
    request.resume().on('end', () => {
      response.write('{"progress":{"waiting":true}}\n{"progress":{"read":10,"of":20}}\n');
      response.end('{"error":{"message":"The file is damaged","code":"BAD_REQUEST"}}\n');
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void slow.close());
  await once(slow, 'listening');
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/graphql`;
  const reported: ImportProgress[] = [];
  const failing = createTransfer({ url }).importChats('{}', { onProgress: (progress) => reported.push(progress) });
  await expect(linesOf(failing)).rejects.toMatchObject({ code: 'BAD_REQUEST', message: 'The file is damaged' });
  expect(reported).toEqual([{ state: 'waiting' }, { state: 'reading', bytes: 10, of: 20 }]);
});
