/** An engine saves summaries, and reports the tokens of a call. */
import { beforeEach, describe, expect, test } from 'vitest';
import { assistant, hint, role, user, type ContextEngine, type ContextStore } from '@parley/context';
import { failureOf } from '../store-failure.js';
import { enginesOn, openStores, STORE_NAMES } from '../stores.js';
import { renderer } from './model-input.js';

const stores = openStores();

/** 40 bytes: 10 tokens for the text and 4 for the message. */
const text = (id: string) => id.padEnd(40, '.');

describe.each(STORE_NAMES)('an engine, %s,', (storeName) => {
  let store: ContextStore;

  beforeEach(() => void (store = stores.get(storeName)));

  const { open } = enginesOn(() => store);

  /** q0 ← a0 ← q1 ← a1 and a summary of them, followed by pending q2. */
  async function summarised(): Promise<ContextEngine> {
    const engine = open();
    for (const n of [0, 1]) engine.set(user(text(`q${n}`), { id: `q${n}` }), assistant(text(`a${n}`), { id: `a${n}` }));
    await engine.saveSummary({ id: 's', role: 'user', parts: [{ type: 'text', text: text('s') }] });
    return engine.set(user(text('q2'), { id: 'q2' }));
  }

  test('saves the pending messages and a summary of them in one change', async () => {
    const engine = open().set(user('q', { id: 'q' }));
    const { messages, branch } = await engine.saveSummary('A question.');
    expect(messages.map(({ id, parentId, name, type }) => [id, parentId, name, type])).toEqual([
      ['q', null, 'user', 'message'],
      [messages[1]?.id, 'q', 'user', 'summary'],
    ]);
    expect([engine.headMessageId, branch.headMessageId]).toEqual([messages[1]?.id, messages[1]?.id]);
    expect(engine.pendingMessages).toEqual([]);
  });

  test('refuses a summary of messages that it has not read', async () => {
    const engine = await summarised();
    await store.saveMessages('c', [{ id: 'theirs', name: 'user', content: { text: 'theirs' } }]);
    expect(await failureOf(engine.saveSummary('Nothing.'))).toMatchObject({ code: 'HEAD_CONFLICT' });
    expect((await store.getMessages('c')).at(-1)?.id).toBe('theirs');
    await engine.resolve({ renderer });
    await engine.saveSummary('Theirs and q2.');
    expect((await store.getMessages('c')).slice(-2).map(({ id, type }) => [id === 'q2', type])).toEqual([
      [true, 'message'],
      [false, 'summary'],
    ]);
  });

  test('refuses a summary of a branch without messages', async () => {
    expect(await failureOf(open().saveSummary('Nothing.'))).toMatchObject({
      code: 'INVALID_INPUT',
      message: 'The branch has no messages to summarise',
    });
  });

  test('uses the newest summary in place of the messages that do not fit', async () => {
    const engine = await summarised();
    const all = await engine.resolve({ renderer, summaries: true });
    expect(all.messages.map(({ id }) => id)).toEqual(['q0', 'a0', 'q1', 'a1', 'q2']);
    const some = await engine.resolve({ renderer, summaries: true, maxTokens: 4 * 14 });
    expect(some.messages.map(({ id }) => id)).toEqual(['s', 'q1', 'a1', 'q2']);
    expect([some.summary?.id, some.omittedMessages, some.estimatedTokens]).toEqual(['s', 2, 4 * 14]);
  });

  test('does not use a summary of another branch', async () => {
    const engine = await summarised();
    await engine.rewind('a0');
    engine.set(user(text('other'), { id: 'other' }));
    const { summary, messages } = await engine.resolve({ renderer, summaries: true, lastMessages: 1 });
    expect([summary, messages.map(({ id }) => id)]).toEqual([null, ['other']]);
  });

  test('lists fragments, the summary and messages with their tokens', async () => {
    const engine = (await summarised()).set(role(text('r')), hint(text('h')));
    const options = { renderer, summaries: true, lastMessages: 3 };
    const { fragments, summary, messages, omittedMessages } = await engine.inspect(options);
    expect(fragments).toEqual([
      { name: 'role', tokens: 14 },
      { name: 'hint', tokens: 14 },
    ]);
    expect([summary, omittedMessages]).toEqual([{ id: 's', tokens: 14 }, 2]);
    expect(messages).toEqual([
      { id: 'q1', name: 'user', tokens: 14 },
      { id: 'a1', name: 'assistant', tokens: 14 },
      { id: 'q2', name: 'user', tokens: 14 },
    ]);
    const { estimatedTokens } = await engine.resolve(options);
    const estimate = await engine.estimate(options);
    expect(estimate).toEqual({
      systemPrompt: estimate.total - 4 * 14,
      summary: 14,
      sources: 0,
      messages: 42,
      total: estimatedTokens,
    });
    const counted = await engine.estimate({ ...options, countTokens: () => 1 });
    expect(counted).toEqual({ systemPrompt: 1, summary: 5, sources: 0, messages: 15, total: 21 });
  });
});
