/** Answers that are larger than the server stores: over sockets, on a Parley server. */
import { convertToModelMessages, type UIMessage } from 'ai';
import { expect, test } from 'vitest';
import type { AnswerCall } from '@parley/context/answer';
import { PacedDraftWriter } from '../src/streaming/paced-draft-writer.js';
import { chunkText } from '../src/streaming/chunk-text.js';
import { chunksOf, openParley, post, userMessage, serve, textOf } from './chat-pages.js';

const KIB = 1024;
const TOO_LARGE = { status: 'incomplete', reason: 'too-large' };

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test('an answer beyond the size of a message ends, and keeps the text that fits', async () => {
  const { store } = await openParley();
  let calls = 0;
  let isStopped = false;
  async function* stream({ signal }: AnswerCall) {
    if (calls++ > 0) return void (yield 'Short.');
    signal.addEventListener('abort', () => (isStopped = true));
    for (;;) yield 'é"'.repeat(30 * KIB);
  }
  const api = await serve({ store, stream });
  const chunks = await chunksOf(await post(api, [userMessage('q', 'Tell me all.')]));
  expect(chunks.at(-1)).toEqual({ type: 'error', errorText: expect.stringContaining('1048576 bytes') as string });
  expect(isStopped).toBe(true);
  const [, answer] = await store.getMessages('c');
  const { parts, metadata } = answer!.data as UIMessage;
  expect(metadata).toEqual(TOO_LARGE);
  expect(bytesOf(answer!.data)).toBeGreaterThan(KIB * KIB - 8);
  expect(parts).toEqual([{ type: 'text', text: expect.any(String) as string, state: 'done' }]);
  expect(textOf(chunks).startsWith((parts[0] as { text: string }).text)).toBe(true);
  expect(await store.listDrafts('c')).toEqual([]);
  expect((await fetch(`${api}/c/stream?leafId=q`)).status).toBe(204);
  const next = await post(api, [{ id: answer!.id, role: 'assistant', parts: [] }, userMessage('q2', 'Shorter?')]);
  expect(textOf(await chunksOf(next))).toBe('Short.');
});

test('a large tool output is truncated, the surrounding text is kept, and models accept the message', async () => {
  const { store } = await openParley();
  const call = { toolCallId: 'call', toolName: 'read' };
  async function* stream() {
    yield* [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Before.' },
    ];
    yield* [
      { type: 'text-end', id: '1' },
      { type: 'tool-input-available', ...call, input: { file: 'a' } },
    ];
    yield { type: 'tool-output-available', ...call, output: { text: 'x'.repeat(2 * KIB * KIB) } };
  }
  const api = await serve({ store, stream });
  await chunksOf(await post(api, [userMessage('q', 'Read it.')]));
  const message = (await store.getMessages('c'))[1]!.data as UIMessage;
  expect(message.metadata).toEqual(TOO_LARGE);
  expect(message.parts).toEqual([
    { type: 'text', text: 'Before.', state: 'done' },
    {
      type: 'tool-read',
      toolCallId: 'call',
      state: 'output-error',
      input: { file: 'a' },
      errorText: expect.stringContaining('{"text":"xxx') as string,
    },
  ]);
  expect(bytesOf(message)).toBeGreaterThan(KIB * KIB - 8);
  expect(await convertToModelMessages([message])).toHaveLength(2);
});

test('an abandoned draft larger than a message is truncated and saved when it is stopped', async () => {
  const { store } = await openParley();
  const api = await serve({ store, stream: () => [] });
  await store.createChat({ id: 'c', userId: 'local' });
  await store.saveMessages('c', [{ id: 'q', name: 'user', content: { text: 'Tell me all.' } }]);
  const { id } = await store.startDraft('c');
  let length = 0;
  const append = async (...chunks: object[]) => ({ length } = await store.appendToDraft('c', id, length, chunks));
  for (const n of [1, 2, 3, 4, 5, 6, 7]) {
    await append(
      { type: 'text-start', id: `${n}` },
      { type: 'text-delta', id: `${n}`, delta: `${n}`.repeat(200 * KIB) },
    );
  }
  const call = { toolCallId: 'call', toolName: 'place' };
  await append({ type: 'tool-input-available', ...call, input: {} }, { type: 'finish' });
  expect((await fetch(`${api}/c/stream`, { method: 'DELETE' })).status).toBe(204);
  const [, answer] = await store.getMessages('c');
  const { parts, metadata } = answer!.data as UIMessage;
  expect(metadata).toEqual(TOO_LARGE);
  // The last texts are removed or shortened, and the small call at the end is kept.
  expect(parts.map((part) => (part.type === 'text' ? part.text[0] : part.type))).toEqual([
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    'tool-place',
  ]);
  expect(bytesOf(answer!.data)).toBeLessThanOrEqual(KIB * KIB);
  expect(await store.listDrafts('c')).toEqual([]);
});

test('a writer whose draft is full is not abandoned until its answer is saved', async () => {
  const { store } = await openParley();
  await store.createChat({ id: 'c', userId: 'local' });
  const { id } = await store.startDraft('c');
  const writer = new PacedDraftWriter({
    store,
    chatId: 'c',
    id,
    length: 0,
    idleTimeout: 0.3,
    onStop: () => {},
    onLost: () => {},
  });
  for (let n = 0; n < 34; n++) {
    await writer.whenWritable();
    writer.write(chunkText({ type: 'data-x', data: 'x'.repeat(250 * KIB) }, n));
  }
  const updatedAt = async () => (await store.listDrafts('c'))[0]!.updatedAt;
  await expect.poll(async () => (await store.listDrafts('c'))[0]!.length).toBe(32);
  const full = await updatedAt();
  await expect.poll(updatedAt).toBeGreaterThan(full + 200);
  await writer.end();
});
