/** Answers that an engine streams into drafts. */
import { beforeEach, describe, expect, test } from 'vitest';
import { ContextEngine, user, XmlRenderer, type ContextStore } from '@parley/context';
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

  test('passes chunks on, shows them to followers, and saves the message', async () => {
    const stream = await context.stream(textChunks('Por', 'to.'));
    expect(stream.id).toBe('d');
    const updates = followed(store);
    expect(await listOf(stream)).toEqual(textChunks('Por', 'to.'));
    expect(chunksOf(await updates)).toEqual(textChunks('Por', 'to.'));
    expect((await updates).at(-1)).toMatchObject({ type: 'finished', message: { id: 'd', data: message('Porto.') } });
    expect(await stream.saved).toMatchObject({ branch: { name: 'main', headMessageId: 'd' }, branched: false });
    expect(context.headMessageId).toBe('d');
    expect(await store.listDrafts('c')).toEqual([]);
  });

  test('saves pending messages first, so that the answer follows the question', async () => {
    context.set(user('By train?', { id: 'q2' }));
    await (await context.stream(textChunks('Yes.'))).finish();
    expect((await store.getMessages('c')).map(({ id }) => id)).toEqual(['q', 'q2', 'd']);
  });

  test('generates one id for the message and the browser when the source has none', async () => {
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

  test('accepts strings as a text, with the given metadata', async () => {
    const stream = await context.stream(['Por', 'to.'], { id: 'd', metadata: { model: 'x' } });
    expect(await stream.finish()).toMatchObject({
      messages: [{ data: { id: 'd', metadata: { model: 'x' }, parts: [{ type: 'text', text: 'Porto.' }] } }],
    });
  });

  test('ends its source after a stop, also during a pause, and saves the chunks', async () => {
    const { source, emit, end } = controlledSource<object>();
    let signal: AbortSignal | undefined;
    const stream = await context.stream(
      (request) => {
        ({ signal } = request);
        signal.addEventListener('abort', () => {
          emit({ type: 'abort' });
          end();
        });
        return source;
      },
      { id: 'd' },
    );
    const chunks = listOf(stream);
    emit(...textChunks('Por').slice(0, 4));
    await store.stopDraft('c', 'd');
    expect((await chunks).slice(0, 5)).toEqual([...textChunks('Por').slice(0, 4), { type: 'abort' }]);
    expect(signal!.aborted).toBe(true);
    expect(await saved()).toContainEqual(message('Por', { metadata: { status: 'incomplete' } }));
  });

  test('throws an error of its source after saving the chunks so far', async () => {
    const stream = await context.stream(
      (async function* () {
        yield* textChunks('Por').slice(0, 4);
        throw new Error('the model is overloaded');
      })(),
    );
    await expect(listOf(stream)).rejects.toThrow('the model is overloaded');
    expect(await stream.saved).toMatchObject({ branch: { headMessageId: 'd' } });
    const metadata = { status: 'incomplete', failure: 'The answer failed.' };
    expect(await saved()).toContainEqual(message('Por', { metadata }));
  });

  test('keeps the beginning of a long error text', async () => {
    const chunks = [...textChunks('Por').slice(0, 3), { type: 'error', errorText: 'x'.repeat(2_000_000) }];
    await (await context.stream(chunks)).finish();
    const metadata = { status: 'incomplete', failure: 'x'.repeat(1_000) };
    expect(await saved()).toContainEqual(message('Por', { metadata }));
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

  test('marks a message with an error chunk as incomplete', async () => {
    const [start, begin, delta] = textChunks('Por');
    const chunks = [start!, begin!, delta!, { type: 'error', errorText: 'overloaded' }, { type: 'finish' }];
    await (await context.stream(chunks)).finish();
    const metadata = { status: 'incomplete', failure: 'overloaded' };
    expect(await saved()).toContainEqual(message('Por', { metadata }));
  });

  test('continues to write after its reader has canceled', async () => {
    const { source, emit, end } = controlledSource<object>();
    const stream = await context.stream(source, { id: 'd' });
    const chunks = textChunks('Por', 'to.');
    emit(...chunks.slice(0, 3));
    const reader = stream.readable.getReader();
    expect((await reader.read()).value).toEqual(chunks[0]);
    await reader.cancel();
    emit(...chunks.slice(3));
    end();
    expect(await stream.saved).toMatchObject({ messages: [{ data: message('Porto.') }] });
  });

  test('follows the fork of an answer whose branch has moved', async () => {
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

  test('stays on the branch to which it was moved during the answer', async () => {
    const stream = await context.stream(textChunks('Porto.'));
    await context.rewind('q');
    await stream.finish();
    expect(context.headMessageId).toBe('q');
    expect((await store.getBranch('c', 'main'))!.headMessageId).toBe('d');
  });

  test('another answer is a sibling of the first, and the engine follows the active branch', async () => {
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
});
