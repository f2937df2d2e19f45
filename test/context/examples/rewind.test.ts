/** Rewinding: first examples for agents, on each store. */
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import {
  assistant,
  ContextEngine,
  hint,
  role,
  user,
  XmlRenderer,
  type BranchInfo,
  type ContextStore,
} from '@parley/context';
import { failureOf } from '../store-failure.js';
import { openStores, STORE_NAMES } from '../stores.js';

const stores = openStores();

describe.each(STORE_NAMES)('%s', (storeName) => {
  let store: ContextStore;

  beforeEach(() => void (store = stores.get(storeName)));

  const open = () => new ContextEngine({ store, chatId: 'chat-001', userId: 'user-001' }).set(role('You are helpful.'));

  async function branches(): Promise<Record<string, string[]>> {
    const all = (await store.listBranches('chat-001')).map(async ({ name, headMessageId }) => [
      name,
      headMessageId === null ? [] : (await store.getMessageChain(headMessageId)).map(({ id }) => id),
    ]);
    return Object.fromEntries(await Promise.all(all)) as Record<string, string[]>;
  }

  /** A model with these answers, which records its input. */
  function stubModel(...answers: string[]) {
    const calls: Call[] = [];
    return {
      calls,
      generateText: async (call: Call) => {
        calls.push(call);
        return { text: answers[calls.length - 1] ?? 'I have nothing more to say.' };
      },
    };
  }

  interface Call {
    system: string;
    messages: unknown[];
    temperature?: number;
  }

  test('how rewind works: main keeps its messages, main-v2 begins at the message', async () => {
    const context = open().set(
      user('1', { id: 'msg-1' }),
      assistant('2', { id: 'msg-2' }),
      user('3', { id: 'msg-3' }),
      assistant('4', { id: 'msg-4' }),
    );
    await context.save();
    await context.rewind('msg-2');
    expect(await branches()).toEqual({
      main: ['msg-1', 'msg-2', 'msg-3', 'msg-4'],
      'main-v2': ['msg-1', 'msg-2'],
    });
    expect(await store.getActiveBranch('chat-001')).toMatchObject({ name: 'main-v2' });
  });

  test('basic usage', async () => {
    const { generateText, calls } = stubModel('5', '4');
    const context = open();
    context.set(user('What is 2 + 2?', { id: 'q1' }));
    const { systemPrompt, messages } = await context.resolve({ renderer: new XmlRenderer() });
    const response = await generateText({ system: systemPrompt, messages });
    context.set(assistant(response.text, { id: 'a1' }));
    await context.save();

    const newBranch = await context.rewind('q1');
    expect(newBranch).toStrictEqual({
      id: expect.any(String) as string,
      name: 'main-v2',
      headMessageId: 'q1',
      isActive: true,
      messageCount: 1,
      createdAt: expect.any(Number) as number,
    });

    context.set(hint('Double-check your arithmetic.'));
    const { systemPrompt: sp2, messages: m2 } = await context.resolve({ renderer: new XmlRenderer() });
    const retry = await generateText({ system: sp2, messages: m2 });
    context.set(assistant(retry.text));
    await context.save();

    const question = { id: 'q1', role: 'user', parts: [{ type: 'text', text: 'What is 2 + 2?' }] };
    expect(calls).toEqual([
      { system: '<role>You are helpful.</role>', messages: [question] },
      {
        system: '<role>You are helpful.</role>\n<hint>Double-check your arithmetic.</hint>',
        messages: [question],
      },
    ]);
    expect(await branches()).toEqual({ main: ['q1', 'a1'], 'main-v2': ['q1', context.headMessageId] });
    expect((await store.getMessages('chat-001')).map(({ data }) => data)).toMatchObject([
      question,
      { role: 'assistant', parts: [{ type: 'text', text: '4' }] },
    ]);
  });

  test('message ids: generated, or given in any form', async () => {
    expect(user('Hello').id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/);
    expect(user('Hello').id).not.toBe(user('Hello').id);
    expect(user('Hello', { id: 'greeting' }).id).toBe('greeting');
    const timed = `msg-${Date.now()}`;
    const context = open().set(
      user('Question', { id: 'turn-1-user' }),
      assistant('Answer', { id: 'turn-1-assistant' }),
      user('What language?', { id: 'language-question' }),
      assistant('Python!', { id: 'language-answer' }),
      user('Hello', { id: timed }),
    );
    await context.save();
    expect(await branches()).toEqual({
      main: ['turn-1-user', 'turn-1-assistant', 'language-question', 'language-answer', timed],
    });
    expect(await context.rewind('language-question')).toMatchObject({ messageCount: 3 });
  });

  test('return value', async () => {
    const context = open().set(user('q', { id: 'q1' }));
    await context.save();
    const branch = await context.rewind('q1');
    expectTypeOf(branch).toEqualTypeOf<BranchInfo>();
    // The head of an empty branch is null; after rewind there is always one.
    expectTypeOf<{
      id: string;
      name: string;
      headMessageId: string | null;
      isActive: boolean;
      messageCount: number;
      createdAt: number;
    }>().toEqualTypeOf<BranchInfo>();
    expect([branch.headMessageId, branch.isActive]).toEqual(['q1', true]);
  });

  test('branch naming: after the active branch', async () => {
    const context = open().set(user('q', { id: 'q1' }));
    await context.save();
    expect((await context.rewind('q1')).name).toBe('main-v2');
    await context.switchBranch('main');
    expect((await context.rewind('q1')).name).toBe('main-v3');
    await context.switchBranch('main-v2');
    expect((await context.rewind('q1')).name).toBe('main-v2-v2');
  });

  test('error handling', async () => {
    const context = open();
    await context.set(user('Hello')).save();
    const other = new ContextEngine({ store, chatId: 'chat-002', userId: 'user-001' });
    await other.set(user('elsewhere', { id: 'msg-from-other-chat' })).save();
    expect(await failureOf(context.rewind('nonexistent-id'))).toEqual({
      code: 'NOT_FOUND',
      message: 'Message "nonexistent-id" not found',
      path: null,
    });
    expect(await failureOf(context.rewind('msg-from-other-chat'))).toEqual({
      code: 'NOT_FOUND',
      message: 'Message "msg-from-other-chat" belongs to a different chat',
      path: null,
    });
  });

  test('rewind and restore both create a branch', async () => {
    const context = open().set(user('q', { id: 'q1' }), assistant('a', { id: 'a1' }));
    await context.save();
    await context.checkpoint('answered');
    const rewound = await context.rewind('a1');
    await context.switchBranch('main');
    const restored = await context.restore('answered');
    expect([rewound.name, restored.name]).toEqual(['main-v2', 'main-v3']);
    expect([rewound.headMessageId, restored.headMessageId]).toEqual(['a1', 'a1']);
    // Another session.
    const later = open();
    expect(await later.restore('answered')).toMatchObject({ headMessageId: 'a1' });
  });

  test('a message saved under an existing id is a new version', async () => {
    const context = open().set(user('q', { id: 'q1' }), assistant('First answer', { id: 'a1' }));
    await context.save();
    context.set(assistant('Updated answer', { id: 'a1' }));
    await context.save();
    const newId = context.headMessageId;
    expect(newId).not.toBe('a1');
    expect(await branches()).toEqual({ main: ['q1', 'a1'], 'main-v2': ['q1', newId] });
    expect((await store.getMessage('a1'))?.data).toMatchObject({ parts: [{ text: 'First answer' }] });
  });

  describe('best practices', () => {
    test('own ids for a user interface', async () => {
      const messageIds: string[] = [];
      const context = open();
      for (const text of ['one', 'two']) {
        const id = `msg-${text}`;
        messageIds.push(id);
        context.set(user(text, { id }));
      }
      await context.save();
      expect(await branches()).toEqual({ main: messageIds });
    });

    test('save before rewind, which discards pending messages', async () => {
      const context = open().set(user('q', { id: 'q1' }));
      await context.save();
      context.set(assistant('a', { id: 'a1' }));
      await context.save();
      await context.rewind('q1');
      context.set(assistant('dropped', { id: 'a2' }));
      await context.rewind('q1');
      await context.save();
      expect((await branches())['main']).toEqual(['q1', 'a1']);
      expect(await store.getMessage('a2')).toBeNull();
    });

    test('switchBranch returns to the original branch', async () => {
      const context = open().set(user('q', { id: 'q1' }), assistant('a', { id: 'a1' }));
      await context.save();
      await context.rewind('q1');
      await context.set(assistant('b')).save();
      await context.switchBranch('main');
      expect([context.branch, context.headMessageId]).toEqual(['main', 'a1']);
    });
  });
});
