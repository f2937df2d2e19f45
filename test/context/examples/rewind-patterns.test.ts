/** Rewinding: patterns of agents, on each store. */
import { beforeEach, describe, expect, test } from 'vitest';
import { assistant, ContextEngine, role, user, XmlRenderer, type ContextStore } from '@parley/context';
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

  describe('patterns', () => {
    test('regenerate response', async () => {
      const { generateText, calls } = stubModel('Another answer.');
      async function regenerate(context: ContextEngine, questionId: string): Promise<string> {
        await context.rewind(questionId);
        const { systemPrompt, messages } = await context.resolve({ renderer: new XmlRenderer() });
        const response = await generateText({ system: systemPrompt, messages, temperature: 0.9 });
        context.set(assistant(response.text));
        await context.save();
        return response.text;
      }
      const context = open().set(user('q', { id: 'q1' }), assistant('a', { id: 'a1' }));
      await context.save();
      expect(await regenerate(context, 'q1')).toBe('Another answer.');
      expect(calls).toMatchObject([{ temperature: 0.9, messages: [{ id: 'q1' }] }]);
      expect(await branches()).toEqual({ main: ['q1', 'a1'], 'main-v2': ['q1', context.headMessageId] });
    });

    async function editQuestion(context: ContextEngine, originalId: string, newQuestion: string): Promise<void> {
      const graph = await store.getGraph(context.chatId);
      const original = graph.nodes.find((node) => node.id === originalId);
      if (original?.parentId) await context.rewind(original.parentId);
      else await context.rewind(originalId);
      context.set(user(newQuestion));
      await context.save();
    }

    test('edit and continue', async () => {
      const context = open().set(
        user('q', { id: 'q1' }),
        assistant('a', { id: 'a1' }),
        user('And?', { id: 'q2' }),
        assistant('b', { id: 'a2' }),
      );
      await context.save();
      await editQuestion(context, 'q2', 'And then?');
      expect(await branches()).toEqual({
        main: ['q1', 'a1', 'q2', 'a2'],
        'main-v2': ['q1', 'a1', context.headMessageId],
      });
      expect((await context.resolve({ renderer: new XmlRenderer() })).messages.at(-1)).toMatchObject({
        parts: [{ text: 'And then?' }],
      });
    });

    test('edit of the first message: by a rewind, or under its id as a second root', async () => {
      const context = open().set(user('q', { id: 'q1' }), assistant('a', { id: 'a1' }));
      await context.save();
      await editQuestion(context, 'q1', 'Another question');
      expect((await branches())['main-v2']).toEqual(['q1', context.headMessageId]);
      await context.set(user('A better one', { id: 'q1' })).save();
      const { nodes } = await store.getGraph('chat-001');
      expect(nodes.filter(({ parentId }) => parentId === null).map(({ content }) => content)).toEqual([
        'q',
        'A better one',
      ]);
      expect((await branches())['main']).toEqual(['q1', 'a1']);
    });

    async function retryUntilGood(
      context: ContextEngine,
      questionId: string,
      {
        generateText,
        isAcceptable,
      }: { generateText: (call: Call) => Promise<{ text: string }>; isAcceptable: (text: string) => boolean },
      maxAttempts = 3,
    ): Promise<string> {
      for (let i = 0; i < maxAttempts; i++) {
        await context.rewind(questionId);
        const { systemPrompt, messages } = await context.resolve({ renderer: new XmlRenderer() });
        const response = await generateText({ system: systemPrompt, messages, temperature: 0.5 + i * 0.25 });
        if (isAcceptable(response.text)) {
          context.set(assistant(response.text));
          await context.save();
          return response.text;
        }
      }
      throw new Error('Could not generate acceptable response');
    }

    test('multiple retries', async () => {
      const { generateText, calls } = stubModel('5', '22', '4');
      const context = open().set(user('2 + 2?', { id: 'q1' }), assistant('3', { id: 'a1' }));
      await context.save();
      expect(await retryUntilGood(context, 'q1', { generateText, isAcceptable: (text) => text === '4' })).toBe('4');
      expect(calls.map(({ temperature }) => temperature)).toEqual([0.5, 0.75, 1]);
      for (const { messages } of calls) expect(messages).toMatchObject([{ id: 'q1' }]);
      expect(await branches()).toEqual({
        main: ['q1', 'a1'],
        'main-v2': ['q1'],
        'main-v2-v2': ['q1'],
        'main-v2-v2-v2': ['q1', context.headMessageId],
      });
      const nothingGood = retryUntilGood(context, 'q1', { generateText, isAcceptable: () => false });
      await expect(nothingGood).rejects.toThrow('Could not generate acceptable response');
      expect((await store.getGraph('chat-001')).nodes).toHaveLength(3);
    });
  });
});
