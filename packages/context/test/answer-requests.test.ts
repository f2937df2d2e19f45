/** Requests of other servers and runtimes, and of slow or older peers. */
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RemoteStore } from '@parley/context';
import { createAnswerHandler, toNodeHandler } from '@parley/context/answer';
import { rawDatabase } from '../../../test/support/database/raw-database.js';
import { chunkText } from '../src/streaming/chunk-text.js';
import { PacedDraftWriter } from '../src/streaming/paced-draft-writer.js';
import { chunksOf, openParley, post, userMessage, serve, textOf } from './chat-pages.js';

async function* porto() {
  yield* ['Por', 'to.'];
}

test('accepts a body parsed by express.json(), at the original URL of a router', async () => {
  const { store } = await openParley();
  const handler = toNodeHandler(createAnswerHandler({ store, stream: porto }));
  const server = createHttpServer((incoming: IncomingMessage & { body?: unknown; originalUrl?: string }, outgoing) => {
    const parsed = incoming.method === 'POST' ? json(incoming) : Promise.resolve({});
    void parsed.then((body) => {
      Object.assign(incoming, { body, originalUrl: incoming.url, url: '/' });
      return handler(incoming, outgoing);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/chat`;
  expect(textOf(await chunksOf(await post(api, [userMessage('q', 'Porto?')])))).toBe('Porto.');
  expect((await fetch(`${api}/c/stream`)).status).toBe(204);
  expect((await fetch(`${api}/c/stream`, { method: 'DELETE' })).status).toBe(204);
});

test('saves the first message of a new chat and starts its answer in one request, before the model is called', async () => {
  const { url, store } = await openParley();
  const requests: string[] = [];
  const counted = new RemoteStore({
    url,
    fetch: (address, init) => {
      requests.push(/(?:query|mutation|subscription) (\w+)/.exec(init?.body as string)?.[1] ?? '');
      return fetch(address, init);
    },
  });
  let before: string[] | undefined;
  const stream = () => {
    before = [...requests];
    return porto();
  };
  const api = await serve({ store: counted, stream, userId: 'ana' });
  expect(textOf(await chunksOf(await post(api, [userMessage('q', 'Porto?')])))).toBe('Porto.');
  expect(before).toEqual(['SaveAndStartDraft']);
  expect(await store.getChat('c')).toMatchObject({ userId: 'ana' });
});

test('creates no chat for a first message that cannot be saved', async () => {
  const { store } = await openParley();
  const api = await serve({ store, stream: porto });
  expect((await post(api, [userMessage('q', 'Porto?')], { branch: 'side' })).status).toBe(404);
  expect(await store.getChat('c')).toBeNull();
});

test('answers on the branch in the body, and keeps the active branch', async () => {
  const { store } = await openParley();
  const api = await serve({ store, stream: porto });
  await chunksOf(await post(api, [userMessage('q', 'Porto?')]));
  const [, answer] = await store.getMessages('c');
  const side = await store.createBranch({ chatId: 'c', headMessageId: answer!.id, isActive: false, name: 'side' });
  const shown = { id: answer!.id, role: 'assistant', parts: [] };
  const next = await post(api, [userMessage('q', 'Porto?'), shown, userMessage('q2', 'Why?')], { branch: side.name });
  expect(textOf(await chunksOf(next))).toBe('Porto.');
  expect(await store.getActiveBranch('c')).toMatchObject({ name: 'main', headMessageId: answer!.id });
  expect(await store.getBranch('c', 'side')).toMatchObject({ messageCount: 4, isActive: false });
});

test('refuses a message with the policy REJECT after newer messages, and forks without it', async () => {
  const { store } = await openParley();
  const api = await serve({ store, stream: porto });
  await chunksOf(await post(api, [userMessage('q', 'Porto?')]));
  const late = [userMessage('q', 'Porto?'), userMessage('r', 'Lisbon?')];
  const refused = await post(api, late, { onConflict: 'REJECT' });
  expect([refused.status, await refused.json()]).toMatchObject([409, { error: { code: 'HEAD_CONFLICT' } }]);
  expect(await store.getMessage('r')).toBeNull();
  const onBranch = await post(api, late, { onConflict: 'REJECT', branch: 'main' });
  expect(onBranch.status).toBe(409);
  expect((await post(api, late, { onConflict: 'APPEND' })).status).toBe(400);
  expect(textOf(await chunksOf(await post(api, late)))).toBe('Porto.');
  expect((await store.getMessage('r'))?.parentId).toBe('q');
});

test('keeps the process alive until an answer and the title of its chat are saved', async () => {
  const { store } = await openParley();
  const work: Promise<unknown>[] = [];
  const api = await serve({ store, stream: porto, titles: true, waitUntil: (promise) => void work.push(promise) });
  const response = await post(api, [userMessage('q', 'Porto?')]);
  expect(work).toHaveLength(1);
  await response.body!.cancel();
  await work[0];
  expect(await store.getMessages('c')).toHaveLength(2);
  expect((await store.getChat('c'))!.title).toBe('Porto?');
});

test('refuses a body that does not arrive in time, and writes nothing', async () => {
  const { store } = await openParley();
  const handler = createAnswerHandler({ store, stream: porto });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"id"')),
    cancel: () => void (isCancelled = true),
  });
  const headers = { 'content-type': 'application/json' };
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body, duplex: 'half' };
  const answered = handler(new Request('http://127.0.0.1/api/chat', init));
  await vi.advanceTimersByTimeAsync(30_000);
  const response = await answered;
  expect(response.status).toBe(408);
  expect(await response.json()).toMatchObject({ error: { code: 'TIMEOUT' } });
  expect(isCancelled).toBe(true);
  vi.useRealTimers();
  expect(await store.listChats()).toEqual([]);
});

test('keeps the answer of a slow writer that ends its abandoned draft before another request does', async () => {
  const { url, databaseUrl, store: writer } = await openParley();
  await writer.createChat({ id: 'c', userId: 'local' });
  await writer.saveMessages('c', [{ id: 'q', name: 'user', content: { text: 'Porto?' } }]);
  await writer.startDraft('c', { id: 'slow', parentId: 'q' });
  const text = { type: 'text-delta', id: 't', delta: 'Lis' };
  await writer.appendToDraft('c', 'slow', 0, [{ type: 'start' }, { type: 'text-start', id: 't' }, text]);
  await (await rawDatabase(databaseUrl)).run('UPDATE drafts SET "updatedAt" = 0');
  let isFirst = true;
  const store = new RemoteStore({
    url,
    fetch: async (address, init) => {
      if (isFirst && (init!.body as string).includes('mutation FinishDraft')) {
        isFirst = false;
        await writer.finishDraft('c', 'slow', { data: 'Lisbon.' });
      }
      return fetch(address, init);
    },
  });
  const api = await serve({ store, stream: porto });
  const again = await post(api, [userMessage('q', 'Porto?')], { trigger: 'regenerate-message' });
  expect([again.status, textOf(await chunksOf(again)), isFirst]).toEqual([200, 'Porto.', false]);
  expect(await writer.getMessage('slow')).toMatchObject({ data: 'Lisbon.' });
});

test('continues when the server refuses appends without chunks, as earlier versions do', async () => {
  const { url, store: newer } = await openParley();
  await newer.createChat({ id: 'c', userId: 'local' });
  const { id } = await newer.startDraft('c');
  let signs = 0;
  const store = new RemoteStore({
    url,
    fetch: async (address, init) => {
      const { variables } = JSON.parse(init!.body as string) as { variables: { input?: { chunks?: unknown[] } } };
      if (variables.input?.chunks?.length !== 0) return fetch(address, init);
      signs++;
      const result = { __typename: 'InvalidInputError', code: 'INVALID_INPUT', message: 'chunks must not be empty' };
      return Response.json({ data: { result } });
    },
  });
  const lost: unknown[] = [];
  const onLost = (error: unknown) => void lost.push(error);
  const writer = new PacedDraftWriter({
    store,
    chatId: 'c',
    id,
    length: 0,
    idleTimeout: 0.03,
    onStop: () => {},
    onLost,
  });
  await expect.poll(() => signs).toBe(1);
  writer.write(chunkText('Porto.', 0));
  await writer.end();
  expect(lost).toEqual([]);
  expect(await newer.listDrafts('c')).toMatchObject([{ id, length: 1, state: 'WRITING' }]);
});
