/** Messages that are written while they pass through an engine. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  ContextEngine,
  ContextError,
  DraftOffsetError,
  RemoteStore,
  user,
  XmlRenderer,
  type ContextStore,
  type DraftUpdate,
} from '@parley/context';
import { failureOf } from './store-failure.js';
import { openStores, STORE_NAMES } from './stores.js';

const stores = openStores();

const textChunks = (...deltas: string[]) => [
  { type: 'start', messageId: 'd' },
  { type: 'text-start', id: '1' },
  ...deltas.map((delta) => ({ type: 'text-delta', id: '1', delta })),
  { type: 'text-end', id: '1' },
  { type: 'finish' },
];
const message = (text: string, more = {}) => ({
  id: 'd',
  role: 'assistant',
  parts: [{ type: 'text', text, state: 'done' }],
  ...more,
});

/** A source that says what it is given to say, and ends when it is told. */
function talk<T>() {
  const waiting: ((next: IteratorResult<T, undefined>) => void)[] = [];
  const left: IteratorResult<T, undefined>[] = [];
  const give = (next: IteratorResult<T, undefined>) => {
    const resolve = waiting.shift();
    if (resolve === undefined) left.push(next);
    else resolve(next);
  };
  const source: AsyncIterable<T> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise((resolve) => (left.length > 0 ? resolve(left.shift()!) : waiting.push(resolve))),
      return: async () => {
        give({ done: true, value: undefined });
        return { done: true, value: undefined };
      },
    }),
  };
  return {
    source,
    say: (...chunks: T[]) => chunks.forEach((value) => give({ done: false, value })),
    end: () => give({ done: true, value: undefined }),
  };
}

async function listOf<T>(chunks: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
}

async function followed(store: ContextStore, id = 'd'): Promise<DraftUpdate[]> {
  return listOf(store.followDraft('c', id));
}
const chunksOf = (updates: readonly DraftUpdate[]) =>
  updates.flatMap((update) => (update.type === 'chunks' ? update.chunks : []));

describe.each(STORE_NAMES)('an engine, %s', (storeName) => {
  let store: ContextStore;
  let context: ContextEngine;
  beforeEach(async () => {
    store = stores.get(storeName);
    context = new ContextEngine({ store, chatId: 'c', userId: 'local' });
    await context.set(user('Porto or Lisbon?', { id: 'q' })).save();
  });
  const saved = async () => (await store.getMessages('c')).map(({ data }) => data);

  test('passes chunks on, shows them to followers, and saves the message', async () => {
    const stream = await context.stream(textChunks('Por', 'to.'));
    expect(stream.id).toBe('d');
    const told = followed(store);
    expect(await listOf(stream)).toEqual(textChunks('Por', 'to.'));
    expect(chunksOf(await told)).toEqual(textChunks('Por', 'to.'));
    expect((await told).at(-1)).toMatchObject({ type: 'finished', message: { id: 'd', data: message('Porto.') } });
    expect(await stream.saved).toMatchObject({ branch: { name: 'main', headMessageId: 'd' }, branched: false });
    expect(context.headMessageId).toBe('d');
    expect(await store.listDrafts('c')).toEqual([]);
  });

  test('saves pending messages first, so that the answer follows the question', async () => {
    context.set(user('By train?', { id: 'q2' }));
    await (await context.stream(textChunks('Yes.'))).finish();
    expect((await store.getMessages('c')).map(({ id }) => id)).toEqual(['q', 'q2', 'd']);
  });

  test('gives the message its id where the source has none, and the browser the same', async () => {
    const [start, ...rest] = textChunks('Porto.');
    for (const { id, ...given } of [
      { id: undefined, source: [{ type: 'start' }, ...rest] },
      { id: 'own', source: [start!, ...rest] },
    ]) {
      const stream = await context.stream(given.source, { id });
      expect((await listOf(stream))[0]).toEqual({ type: 'start', messageId: stream.id });
      expect(context.headMessageId).toBe(id ?? stream.id);
      expect((await store.getMessage(stream.id))!.data).toEqual({ ...message('Porto.'), id: stream.id });
    }
  });

  test('takes strings for a text, with the metadata that it is given', async () => {
    const stream = await context.stream(['Por', 'to.'], { id: 'd', metadata: { model: 'x' } });
    expect(await stream.finish()).toMatchObject({
      messages: [{ data: { id: 'd', metadata: { model: 'x' }, parts: [{ type: 'text', text: 'Porto.' }] } }],
    });
  });

  test('ends its source after a stop, also during a pause, and saves the chunks', async () => {
    const { source, say, end } = talk<object>();
    let signal: AbortSignal | undefined;
    const stream = await context.stream(
      (request) => {
        ({ signal } = request);
        signal.addEventListener('abort', () => {
          say({ type: 'abort' });
          end();
        });
        return source;
      },
      { id: 'd' },
    );
    const chunks = listOf(stream);
    say(...textChunks('Por').slice(0, 4));
    await store.stopDraft('c', 'd');
    expect((await chunks).slice(0, 5)).toEqual([...textChunks('Por').slice(0, 4), { type: 'abort' }]);
    expect(signal!.aborted).toBe(true);
    expect(await saved()).toContainEqual(message('Por', { metadata: { status: 'incomplete' } }));
  });

  test('lets an error of its source out when what there is has been saved', async () => {
    const stream = await context.stream(
      (async function* () {
        yield* textChunks('Por').slice(0, 4);
        throw new Error('the model is overloaded');
      })(),
    );
    await expect(listOf(stream)).rejects.toThrow('the model is overloaded');
    expect(await stream.saved).toMatchObject({ branch: { headMessageId: 'd' } });
    expect(await saved()).toContainEqual(message('Por', { metadata: { status: 'incomplete' } }));
  });

  test('saves nothing of a source that fails before its first chunk', async () => {
    const failing = await context.stream(
      (async function* () {
        yield { type: 'start', messageId: 'd' };
        throw new Error('no such model');
      })(),
    );
    await expect(failing.finish()).rejects.toThrow('no such model');
    expect(await failing.saved).toBeNull();
    expect(await store.listDrafts('c')).toEqual([]);
    expect(context.headMessageId).toBe('q');
  });

  test('says of a message whose chunks tell of an error that it is incomplete', async () => {
    const [start, begin, delta] = textChunks('Por');
    const chunks = [start!, begin!, delta!, { type: 'error', errorText: 'overloaded' }, { type: 'finish' }];
    await (await context.stream(chunks)).finish();
    expect(await saved()).toContainEqual(message('Por', { metadata: { status: 'incomplete' } }));
  });

  test('continues to write when its reader has left', async () => {
    const { source, say, end } = talk<object>();
    const stream = await context.stream(source, { id: 'd' });
    const chunks = textChunks('Por', 'to.');
    say(...chunks.slice(0, 3));
    const reader = stream.readable.getReader();
    expect((await reader.read()).value).toEqual(chunks[0]);
    await reader.cancel();
    say(...chunks.slice(3));
    end();
    expect(await stream.saved).toMatchObject({ messages: [{ data: message('Porto.') }] });
  });

  test('goes on where the answer went when the branch has moved on, and loses neither', async () => {
    const stream = await context.stream(textChunks('Porto.'));
    await store.saveMessages('c', [{ id: 'other', name: 'user', content: { text: 'In winter?' } }]);
    expect(await stream.finish()).toMatchObject({ branched: true, branch: { headMessageId: 'd' } });
    expect(context.branch).toBe('main-v2');
    expect((await store.getBranch('c', 'main'))!.headMessageId).toBe('other');
  });

  test('returns the inactive branch of an overtaken turn, and stays on the branch of the later turn', async () => {
    context.set(user('1', { id: 'q1' }));
    const first = await context.stream(textChunks('One.'), { id: 'a1' });
    context.set(user('2', { id: 'q2' }));
    const second = await context.stream(textChunks('Two.'), { id: 'a2' });
    expect(await first.finish()).toMatchObject({ branched: true, branch: { headMessageId: 'a1', isActive: false } });
    expect(await second.finish()).toMatchObject({ branched: false, branch: { headMessageId: 'a2', isActive: true } });
    expect(context.branch).toBe('main');
    expect((await store.getMessages('c')).map(({ id }) => id)).toEqual(['q', 'q1', 'q2', 'a2']);
    expect((await store.getMessageChain('a1')).map(({ id }) => id)).toEqual(['q', 'q1', 'a1']);
  });

  test('stays where it was brought while the answer came', async () => {
    const stream = await context.stream(textChunks('Porto.'));
    await context.rewind('q');
    await stream.finish();
    expect(context.headMessageId).toBe('q');
    expect((await store.getBranch('c', 'main'))!.headMessageId).toBe('d');
  });

  test('another answer to a question goes beside the first, and the engine follows where the chat goes', async () => {
    await (await context.stream(textChunks('Porto.'))).finish();
    context.set(user('By train?', { id: 'q2' }));
    const { messages } = await context.resolve({ renderer: new XmlRenderer(), parentId: 'q' });
    expect(messages).toEqual([{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'Porto or Lisbon?' }] }]);
    const result = await (await context.stream(textChunks('Lisbon.'), { id: 'e', parentId: 'q' })).finish();
    expect(result).toMatchObject({ branch: { headMessageId: 'e' }, messages: [{ parentId: 'q' }] });
    expect(context.branch).toBe(result!.branch.isActive ? result!.branch.name : 'main');
    expect(await store.getActiveBranch('c')).toMatchObject({ headMessageId: 'e' });
    expect(context.pendingMessages).toHaveLength(1);
    expect((await store.getMessage('d'))!.parentId).toBe('q');
    expect(await failureOf(context.resolve({ renderer: new XmlRenderer(), parentId: 'none' }))).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('leaves no tool call open in a message that is broken off', async () => {
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

  test('takes up a draft that was left, from where it is', async () => {
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
    const told = followed(store);
    expect(await listOf(stream)).toEqual(chunks.slice(3));
    expect(chunksOf(await told)).toEqual(chunks);
    expect(await saved()).toContainEqual(message('Porto.'));
  });

  test('finishes a draft that was left as far as it came, and says that it is incomplete unless it is whole', async () => {
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

  test('begins no draft over another one, and takes up none that is not there', async () => {
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

  test('says that a draft was discarded while it was written', async () => {
    const { source, say } = talk<string>();
    const stream = await context.stream(source, { id: 'd' });
    const chunks = listOf(stream);
    say('a');
    await store.discardDraft('c', 'd');
    expect(await failureOf(chunks)).toMatchObject({ code: 'NOT_FOUND' });
    expect(await failureOf(stream.saved)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('keeps in the message what a draft cannot hold', async () => {
    const url = `data:text/plain;base64,${'A'.repeat(300_000)}`;
    const chunks = [
      { type: 'file', url, mediaType: 'text/plain' },
      { type: 'data-x', data: ['\0', 'half \ud83d', 'ok \\u0000'] },
    ];
    const stream = await context.stream(chunks, { id: 'd' });
    const told = followed(store);
    await stream.finish();
    expect(chunksOf(await told)).toEqual([{ type: 'data-x', data: ['\ufffd', 'half \ufffd', 'ok \\u0000'] }]);
    expect((await store.getMessage('d'))!.data).toMatchObject({ parts: [{ type: 'file', url }, { type: 'data-x' }] });
  });
});

test('sends again what had no answer, from where the server is, and writes nothing twice', async () => {
  const real = stores.get('remote');
  await real.createChat({ id: 'c', userId: 'local' });
  let call = 0;
  class Shaky extends RemoteStore {
    override async appendToDraft(...args: Parameters<ContextStore['appendToDraft']>) {
      const [chatId, id, offset, chunks] = args;
      call++;
      // The first is lost on its way, the answer of the second on its way back.
      if (call === 1) throw new ContextError('UNAVAILABLE', 'lost');
      const standing = await super.appendToDraft(chatId, id, offset, chunks);
      if (call === 2) throw new ContextError('UNAVAILABLE', 'lost');
      // A server that had less than it had textChunks.
      if (call === 3) throw new DraftOffsetError('less', 2);
      return standing;
    }
  }
  const context = new ContextEngine({ store: new Shaky({ url: stores.url }), chatId: 'c', userId: 'local' });
  const words = Array.from({ length: 250 }, (_, n) => `${n} `);
  const stream = await context.stream(words, { id: 'd' });
  const told = followed(real);
  expect(await listOf(stream)).toEqual(words);
  expect(chunksOf(await told)).toEqual(words);
  expect((await real.getMessage('d'))!.data).toMatchObject({ parts: [{ text: words.join('') }] });
});

test('applies backpressure to its source while the store lags', async () => {
  const real = stores.get('remote');
  await real.createChat({ id: 'c', userId: 'local' });
  let made = 0;
  let stalledAt = 0;
  class Slow extends RemoteStore {
    override async appendToDraft(...args: Parameters<ContextStore['appendToDraft']>) {
      // Until nothing more comes, without an answer to the first.
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
