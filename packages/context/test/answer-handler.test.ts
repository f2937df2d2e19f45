/** Answers that a server process writes: over sockets, on a Parley server. */
import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { ContextError, RemoteStore, type ContextStore } from '@parley/context';
import type { AnswerCall } from '@parley/context/answer';
import { createServer } from '../../../src/server.js';
import { temporaryDatabaseUrl } from '../../../test/support/database/temporary-database.js';
import { AUTH, bearer } from '../../../test/support/server/tokens.js';
import { eventStream, type EventSink } from '../src/answer/event-stream.js';
import { chunksOf, eventsOf, openParley, post, userMessage, serve, textOf } from './chat-pages.js';

async function* porto() {
  yield* ['Por', 'to.'];
}

/** A source that returns one word, and the rest on request or when it is stopped. */
function pausing(words: string[]) {
  let continueModel!: () => void;
  const isContinued = new Promise<void>((resolve) => (continueModel = resolve));
  let calls = 0;
  async function* stream({ signal }: AnswerCall) {
    calls++;
    yield words[0]!;
    await Promise.race([isContinued, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
    if (!signal.aborted) yield* words.slice(1);
  }
  return { stream, continueModel, calls: () => calls };
}

const answersOf = async (store: ContextStore) =>
  (await store.getGraph('c')).nodes.filter(({ role }) => role === 'assistant').map(({ content }) => content);
const incomplete = { metadata: { status: 'incomplete' } };

test('saves a message, streams its answer, and saves the answer', async () => {
  const { store } = await openParley();
  const api = await serve({ store, stream: porto });
  const response = await post(api, [userMessage('q', 'Porto or Lisbon?')]);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
  expect(response.headers.get('x-parley-message-id')).toBe('q');
  const chunks = await chunksOf(response);
  expect(textOf(chunks)).toBe('Porto.');
  const [question, answer] = await store.getMessages('c');
  expect(chunks[0]).toEqual({ type: 'start', messageId: answer!.id });
  expect(chunks.at(-1)).toEqual({ type: 'finish' });
  expect(question!.data).toEqual(userMessage('q', 'Porto or Lisbon?'));
  expect(answer!.data).toEqual({
    id: answer!.id,
    role: 'assistant',
    parts: [{ type: 'text', text: 'Porto.', state: 'done' }],
  });
  expect(await store.listDrafts('c')).toEqual([]);
  expect((await fetch(`${api}/c/stream`)).status).toBe(204);
  expect((await fetch(`${api}?chatId=c`, { method: 'DELETE' })).status).toBe(204);
});

test('completes an answer when its page leaves, and streams it again to the next page', async () => {
  const { store } = await openParley();
  const { stream, continueModel } = pausing(['Por', 'to.']);
  const api = await serve({ store, stream });
  const left = new AbortController();
  const response = await fetch(api, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'c', messages: [userMessage('q', 'Porto or Lisbon?')] }),
    signal: left.signal,
  });
  for await (const { type } of eventsOf(response)) if (type === 'text-delta') break;
  left.abort();
  const resumed = await fetch(`${api}/c/stream?leafId=q`);
  expect((await fetch(`${api}/c/stream?leafId=elsewhere`)).status).toBe(204);
  continueModel();
  expect(textOf(await chunksOf(resumed))).toBe('Porto.');
  // A followed answer ends with its last chunk; the writer saves the message afterwards.
  await expect.poll(() => answersOf(store)).toEqual(['Porto.']);
});

test('stops an answer from anywhere, saves its text so far, and accepts the next message', async () => {
  const { store } = await openParley();
  const { stream } = pausing(['Por', 'to.']);
  const api = await serve({ store, stream });
  const other = await serve({ store, stream: porto });
  const response = await post(api, [userMessage('q', 'Porto or Lisbon?')]);
  const events = eventsOf(response);
  let id: unknown;
  for await (const chunk of events) {
    if (chunk['type'] === 'start') id = chunk['messageId'];
    if (chunk['type'] === 'text-delta') break;
  }
  await expect.poll(async () => (await store.listDrafts('c'))[0]!.length).toBe(3);
  expect((await fetch(`${other}/c/stream`, { method: 'DELETE' })).status).toBe(204);
  await expect.poll(async () => (await store.getMessages('c')).length).toBe(2);
  expect((await store.getMessages('c'))[1]!.data).toMatchObject({
    ...incomplete,
    parts: [{ text: 'Por', state: 'done' }],
  });
  const next = await post(other, [{ id: id as string, role: 'assistant', parts: [] }, userMessage('q2', 'Why?')]);
  expect(textOf(await chunksOf(next))).toBe('Porto.');
  expect((await store.getMessages('c')).map(({ name }) => name)).toEqual(['user', 'assistant', 'user', 'assistant']);
});

test('resumes and stops an answer below a message that the page does not show yet, and no other answer', async () => {
  const { store } = await openParley();
  const { stream, continueModel } = pausing(['Por', 'to.']);
  const api = await serve({ store, stream });
  const other = await serve({ store, stream: porto });
  await chunksOf(await post(other, [userMessage('q', 'Porto?')]));
  const [, answer] = await store.getMessages('c');
  const shown = { id: answer!.id, role: 'assistant', parts: [] };
  const first = await post(api, [userMessage('q', 'Porto?'), shown, userMessage('q2', 'Why?')]);
  const [draft] = await store.listDrafts('c');
  for (const leaf of ['q', answer!.id, 'q2']) {
    const { value: start } = await eventsOf(await fetch(`${api}/c/stream?leafId=${leaf}`)).next();
    expect(start).toEqual({ type: 'start', messageId: draft!.id });
  }
  const [version] = (await store.saveMessages('c', [{ id: 'q', name: 'user', content: { text: 'Lisbon?' } }])).messages;
  expect((await fetch(`${api}/c/stream?leafId=${version!.id}`)).status).toBe(204);
  expect((await fetch(`${api}/c/stream?leafId=${version!.id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await store.listDrafts('c'))[0]).toMatchObject({ id: draft!.id, state: 'WRITING' });
  expect((await fetch(`${api}/c/stream?leafId=${answer!.id}`, { method: 'DELETE' })).status).toBe(204);
  await expect.poll(() => store.listDrafts('c')).toEqual([]);
  continueModel();
  expect(textOf(await chunksOf(first))).toBe('Por');
});

test('a message after an answer that was stopped before its first word follows the question', async () => {
  const { store } = await openParley();
  let call = 0;
  async function* stream({ signal }: AnswerCall) {
    if (call++ > 0) return yield* porto();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
  const api = await serve({ store, stream });
  const response = post(api, [userMessage('q', 'Porto or Lisbon?')]);
  await expect.poll(async () => (await store.getChat('c')) !== null && (await store.listDrafts('c')).length).toBe(1);
  await fetch(`${api}/c/stream`, { method: 'DELETE' });
  const [start] = await chunksOf(await response);
  await expect.poll(() => store.listDrafts('c')).toEqual([]);
  const empty = { id: String(start!['messageId']), role: 'assistant', parts: [] };
  await chunksOf(await post(api, [userMessage('q', 'Porto or Lisbon?'), empty, userMessage('q2', 'Well?')]));
  expect((await store.getMessages('c')).map(({ id }) => id).slice(0, 2)).toEqual(['q', 'q2']);
  expect(await answersOf(store)).toEqual(['Porto.']);
});

test('a message after an answer in progress ends that answer first', async () => {
  const { store } = await openParley();
  const { stream } = pausing(['Por', 'to.']);
  const api = await serve({ store, stream });
  const other = await serve({ store, stream: porto });
  const response = await post(api, [userMessage('q', 'Porto or Lisbon?')]);
  await expect.poll(async () => (await store.listDrafts('c'))[0]?.length).toBe(3);
  const [draft] = await store.listDrafts('c');
  await chunksOf(await post(other, [{ id: draft!.id, role: 'assistant', parts: [] }, userMessage('q2', 'Why?')]));
  await chunksOf(response);
  const messages = await store.getMessages('c');
  expect(messages.map(({ id }) => id).slice(0, 3)).toEqual(['q', draft!.id, 'q2']);
  expect(messages[1]!.data).toMatchObject({ ...incomplete, parts: [{ text: 'Por' }] });
});

test('a repeated message, also concurrently and in another process, has one answer', async () => {
  const { store } = await openParley();
  const { stream, continueModel, calls } = pausing(['Por', 'to.']);
  const apis = [await serve({ store, stream }), await serve({ store, stream })];
  const question = userMessage('q', 'Porto or Lisbon?');
  const responses = await Promise.all(apis.flatMap((api) => [post(api, [question]), post(api, [question])]));
  continueModel();
  const streams = await Promise.all(responses.map(chunksOf));
  expect(streams.map(textOf)).toEqual(['Porto.', 'Porto.', 'Porto.', 'Porto.']);
  expect(calls()).toBe(1);
  expect(new Set(streams.map(([start]) => start!['messageId'])).size).toBe(1);
  // Also when it has ended.
  expect(textOf(await chunksOf(await post(apis[0]!, [question])))).toBe('Porto.');
  expect(calls()).toBe(1);
  expect((await store.getGraph('c')).nodes).toHaveLength(2);
  await chunksOf(await post(apis[1]!, [question], { trigger: 'regenerate-message' }));
  expect(calls()).toBe(2);
  expect(await answersOf(store)).toEqual(['Porto.', 'Porto.']);
});

test('returns the error text of the application for an error of the model, and discards an empty answer', async () => {
  const { store } = await openParley();
  const errors: unknown[] = [];
  let words: string[] = [];
  async function* stream() {
    yield* words;
    throw new Error('key 123 is over its limit');
  }
  const onError = (error: unknown) => {
    errors.push(error);
    return 'Try again.';
  };
  const api = await serve({ store, stream, onError });
  const question = userMessage('q', 'Porto or Lisbon?');
  expect((await chunksOf(await post(api, [question]))).at(-1)).toEqual({ type: 'error', errorText: 'Try again.' });
  expect(await store.listDrafts('c')).toEqual([]);
  expect(await answersOf(store)).toEqual([]);
  words = ['Por'];
  const chunks = await chunksOf(await post(api, [question]));
  expect(chunks.at(-1)).toEqual({ type: 'error', errorText: 'Try again.' });
  const metadata = { status: 'incomplete', failure: 'Try again.' };
  expect((await store.getMessages('c'))[1]!.data).toMatchObject({ metadata, parts: [{ text: 'Por' }] });
  expect(errors).toEqual([expect.objectContaining({ message: 'key 123 is over its limit' }), expect.anything()]);
});

test('refuses invalid requests, and writes nothing', async () => {
  const { store } = await openParley();
  const api = await serve({ store, stream: porto, maxBodyBytes: 1_000, maxMessages: 3 });
  const statusOf = async (call: Promise<Response>) => {
    const response = await call;
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.message).not.toBe('');
    return [response.status, error.code];
  };
  const send = (body: string, type = 'application/json') =>
    fetch(api, { method: 'POST', headers: { 'content-type': type }, body });
  const q = userMessage('q', 'Porto?');
  const tool = { id: 'a', role: 'assistant', parts: [] };
  expect(await statusOf(fetch(api, { method: 'PUT' }))).toEqual([405, 'METHOD_NOT_ALLOWED']);
  expect(await statusOf(send('{}', 'text/plain'))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  expect(await statusOf(send('{'))).toEqual([400, 'INVALID_INPUT']);
  expect(await statusOf(send(`"${'x'.repeat(1_000)}"`))).toEqual([413, 'TOO_LARGE']);
  expect(await statusOf(post(api, []))).toEqual([400, 'INVALID_INPUT']);
  expect(await statusOf(post(api, [q, q, q, q]))).toEqual([400, 'INVALID_INPUT']);
  expect(await statusOf(post(api, [{ id: 's', role: 'system', parts: [] }]))).toEqual([400, 'INVALID_INPUT']);
  expect(await statusOf(post(api, [q], { trigger: 'other' }))).toEqual([400, 'INVALID_INPUT']);
  expect(await statusOf(post(api, [q], { id: '' }))).toEqual([400, 'INVALID_INPUT']);
  expect(await statusOf(post(api, [q], { trigger: 'regenerate-message' }))).toEqual([404, 'NOT_FOUND']);
  expect(await statusOf(post(api, [q, tool]))).toEqual([404, 'NOT_FOUND']);
  expect(await statusOf(post(api, [tool, q]))).toEqual([404, 'NOT_FOUND']);
  expect(await statusOf(fetch(api))).toEqual([400, 'INVALID_INPUT']);
  expect((await fetch(`${api}/c/stream`)).status).toBe(204);
  expect(await store.listChats()).toEqual([]);
});

test('opens the store with the rights of each request, and answers only its own chats', async () => {
  const server = await createServer({ databaseUrl: temporaryDatabaseUrl(), migrateOnStart: true, port: 0, auth: AUTH });
  onTestFinished(() => server.stop());
  const url = await server.start();
  const headersOf = (request: Request) => ({ authorization: request.headers.get('authorization') ?? '' });
  const api = await serve({
    store: (request) => {
      if (!request.headers.has('x-user')) throw new ContextError('UNAUTHENTICATED', 'Sign in first');
      return new RemoteStore({ url, headers: headersOf(request) });
    },
    userId: (request) => request.headers.get('x-user')!,
    stream: porto,
  });
  const as = async (user: string, messages = [userMessage('q', 'Porto?')]) =>
    fetch(api, {
      method: 'POST',
      headers: { ...(await bearer(user)), 'x-user': user, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'c', messages }),
    });
  expect((await post(api, [userMessage('q', 'Porto?')])).status).toBe(401);
  expect(textOf(await chunksOf(await as('ana')))).toBe('Porto.');
  expect((await as('bob')).status).toBe(409);
  expect((await as('bob', [userMessage('q', 'Porto?'), userMessage('q2', 'Mine?')])).status).toBe(404);
  const store = new RemoteStore({ url, headers: await bearer('ana') });
  expect(await store.getMessages('c')).toHaveLength(2);
});

test('ends the response of a page that leaves 1 MiB unread, while the writer continues', async () => {
  let sink!: EventSink;
  const response = eventStream((given) => void (sink = given));
  const chunk = { type: 'data-x', data: 'x'.repeat(100_000) };
  for (let sent = 0; sent < 11; sent++) sink.send(chunk);
  expect(sink.signal.aborted).toBe(false);
  sink.send(chunk);
  sink.send(chunk);
  sink.end();
  expect(sink.signal.aborted).toBe(true);
  await expect(response.text()).rejects.toThrow('unread');
});

test('an upload that breaks off writes nothing, and the next request is answered', async () => {
  const { store } = await openParley();
  const errors: unknown[] = [];
  const api = await serve({ store, stream: porto, onError: (error) => String(errors.push(error)) });
  const { port, pathname } = new URL(api);
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST ${pathname} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"id"`,
  );
  socket.destroy();
  await once(socket, 'close');
  expect(textOf(await chunksOf(await post(api, [userMessage('q', 'Porto?')])))).toBe('Porto.');
  expect(errors).toEqual([]);
});

test('names a chat after its first answer, and keeps an existing title', async () => {
  const { store } = await openParley();
  const api = await serve({ store, stream: porto, titles: (messages) => `Of ${messages.length} messages` });
  await chunksOf(await post(api, [userMessage('q', 'Porto?')]));
  const title = async () => (await store.getChat('c'))!.title;
  await expect.poll(title).toBe('Of 2 messages');
  const [, answer] = await store.getMessages('c');
  await chunksOf(await post(api, [{ id: answer!.id, role: 'assistant', parts: [] }, userMessage('q2', 'Why?')]));
  expect(await title()).toBe('Of 2 messages');
});
