/** Interrupted streams, and streams that continue a draft. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { ContextEngine, ContextError, DraftOffsetError, RemoteStore, user, type ContextStore } from '@parley/context';
import { failureOf } from '../store-failure.js';
import { openStores } from '../stores.js';
import { textChunks, message, controlledSource, listOf, followed, chunksOf } from './streamed-answers.js';

const stores = openStores();

describe('an engine', () => {
  let store: ContextStore;

  let context: ContextEngine;

  beforeEach(async () => {
    store = stores.get('remote');
    context = new ContextEngine({ store, chatId: 'c', userId: 'local' });
    await context.set(user('Porto or Lisbon?', { id: 'q' })).save();
  });

  const saved = async () => (await store.getMessages('c')).map(({ data }) => data);

  test('closes open tool calls in an interrupted message', async () => {
    const tool = { toolName: 'place', input: { near: true } };
    const chunks = [
      { type: 'start', messageId: 'd' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: 'Let me look' },
      { type: 'tool-input-start', toolCallId: 'a', toolName: 'place' },
      { type: 'tool-input-delta', toolCallId: 'a', inputTextDelta: '{"near":tr' },
      { type: 'tool-input-available', toolCallId: 'b', ...tool },
      { type: 'tool-input-available', toolCallId: 'c', ...tool },
      { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'yes?' },
      { type: 'abort' },
    ];
    await (await context.stream(chunks)).finish();
    const ended = {
      type: 'tool-place',
      state: 'output-error',
      input: { near: true },
      errorText: expect.any(String) as string,
    };
    expect((await saved())[1]).toEqual({
      id: 'd',
      role: 'assistant',
      metadata: { status: 'incomplete' },
      parts: [
        { type: 'text', text: 'Let me look', state: 'done' },
        { ...ended, toolCallId: 'a' },
        { ...ended, toolCallId: 'b' },
        { ...ended, toolCallId: 'c' },
      ],
    });
  });

  test('continues an abandoned draft at its length', async () => {
    const chunks = textChunks('Por', 'to.');
    await store.startDraft('c', { id: 'd' });
    await store.appendToDraft('c', 'd', 0, chunks.slice(0, 3));
    const stream = await context.stream(
      ({ chunks: there, message: soFar }) => {
        expect(soFar).toMatchObject({ parts: [{ text: 'Por' }] });
        return chunks.slice(there.length);
      },
      { id: 'd', takeUp: true },
    );
    const updates = followed(store);
    expect(await listOf(stream)).toEqual(chunks.slice(3));
    expect(chunksOf(await updates)).toEqual(chunks);
    expect(await saved()).toContainEqual(message('Porto.'));
  });

  test('finishes an abandoned draft, marked as incomplete unless its chunks are complete', async () => {
    const chunks = textChunks('Por');
    await store.startDraft('c', { id: 'd' });
    await store.appendToDraft('c', 'd', 0, chunks.slice(0, 4));
    expect(await context.finishDraft('d')).toMatchObject({
      messages: [{ data: message('Por', { metadata: { status: 'incomplete' } }) }],
    });
    await store.startDraft('c', { id: 'e' });
    await store.appendToDraft('c', 'e', 0, chunks);
    expect(await context.finishDraft('e')).toMatchObject({ messages: [{ data: { ...message('Por'), id: 'e' } }] });
    await store.startDraft('c', { id: 'f' });
    expect(await context.finishDraft('f')).toBeNull();
    expect(await failureOf(context.finishDraft('f'))).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('refuses a second draft with an id, and a missing draft', async () => {
    await store.startDraft('c', { id: 'd' });
    await store.appendToDraft('c', 'd', 0, ['a']);
    expect(await failureOf(context.stream(textChunks('b')))).toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(await failureOf(context.stream([], { id: 'x', takeUp: true }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await failureOf(context.stream([], { takeUp: true }))).toMatchObject({ path: 'id' });
    expect(await failureOf(context.stream('text' as never))).toMatchObject({ path: 'source' });
    expect(await failureOf(context.stream([], { role: 'x' } as never))).toMatchObject({ path: 'role' });
    expect(
      await failureOf((await context.stream([{ type: 'text-delta', id: '1', delta: 'x' }], { id: 'n' })).finish()),
    ).toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('reports that a draft was discarded', async () => {
    const { source, emit } = controlledSource<string>();
    const stream = await context.stream(source, { id: 'd' });
    const chunks = listOf(stream);
    emit('a');
    await store.discardDraft('c', 'd');
    expect(await failureOf(chunks)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await failureOf(stream.saved)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('saves the complete message when it exceeds the draft', async () => {
    const url = `data:text/plain;base64,${'A'.repeat(300_000)}`;
    const chunks = [
      { type: 'file', url, mediaType: 'text/plain' },
      { type: 'data-x', data: ['\0', 'half \ud83d', 'ok \\u0000'] },
    ];
    const stream = await context.stream(chunks, { id: 'd' });
    const updates = followed(store);
    await stream.finish();
    expect(chunksOf(await updates)).toEqual([{ type: 'data-x', data: ['\ufffd', 'half \ufffd', 'ok \\u0000'] }]);
    expect((await store.getMessage('d'))!.data).toMatchObject({ parts: [{ type: 'file', url }, { type: 'data-x' }] });
  });
});

test('repeats appends without a response at the length of the server, and writes nothing twice', async () => {
  const real = stores.get('remote');
  await real.createChat({ id: 'c', userId: 'local' });
  let call = 0;
  class FailingStore extends RemoteStore {
    override async appendToDraft(...args: Parameters<ContextStore['appendToDraft']>) {
      const [chatId, id, offset, chunks] = args;
      call++;
      // The first request is lost, and the response of the second.
      if (call === 1) throw new ContextError('UNAVAILABLE', 'lost');
      const status = await super.appendToDraft(chatId, id, offset, chunks);
      if (call === 2) throw new ContextError('UNAVAILABLE', 'lost');
      // A server with fewer chunks than it confirmed.
      if (call === 3) throw new DraftOffsetError('less', 2);
      return status;
    }
  }
  const context = new ContextEngine({ store: new FailingStore({ url: stores.url }), chatId: 'c', userId: 'local' });
  const words = Array.from({ length: 250 }, (_, n) => `${n} `);
  const stream = await context.stream(words, { id: 'd' });
  const updates = followed(real);
  expect(await listOf(stream)).toEqual(words);
  expect(chunksOf(await updates)).toEqual(words);
  expect((await real.getMessage('d'))!.data).toMatchObject({ parts: [{ text: words.join('') }] });
});

test('applies backpressure to its source while the store lags', async () => {
  const real = stores.get('remote');
  await real.createChat({ id: 'c', userId: 'local' });
  let made = 0;
  let stalledAt = 0;
  class Slow extends RemoteStore {
    override async appendToDraft(...args: Parameters<ContextStore['appendToDraft']>) {
      // Until the source pauses, while the first append has no response.
      for (let quiet = 0, before = made; stalledAt === 0 && quiet < 50; quiet = made === before ? quiet + 1 : 0) {
        before = made;
        await nextTurn();
      }
      stalledAt ||= made;
      return super.appendToDraft(...args);
    }
  }
  const context = new ContextEngine({ store: new Slow({ url: stores.url }), chatId: 'c', userId: 'local' });
  const source = (function* () {
    for (; made < 3_000; made++) yield 'x';
  })();
  const stream = await context.stream(source, { id: 'd' });
  expect(await listOf(stream)).toHaveLength(3_000);
  expect(stalledAt).toBeGreaterThan(1_900);
  expect(stalledAt).toBeLessThan(2_100);
  expect((await real.getMessage('d'))!.data).toMatchObject({ parts: [{ text: 'x'.repeat(3_000) }] });
});
