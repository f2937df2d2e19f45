import { describe, expect, test } from 'vitest';
import { ContextEngine } from '../../src/context/engine.js';
import { role } from '../../src/context/fragments/domain-fragments.js';
import { assistant, user } from '../../src/context/messages/message.js';
import { lastAssistantMessage } from '../../src/context/messages/lazy-message.js';
import { XmlRenderer } from '../../src/context/renderers/xml-renderer.js';
import { STORES } from './stores.js';

const renderer = new XmlRenderer();

describe.each(Object.entries(STORES))('rewind, %s', (_name, open) => {
  test('goes back to a question on a branch of its own', async () => {
    const { store } = await open();
    const context = new ContextEngine({ store, chatId: 'chat-001', userId: 'user-001' }).set(role('You are helpful.'));
    context.set(user('What is 2 + 2?', { id: 'q1' }));
    expect(await context.resolve({ renderer })).toEqual({
      systemPrompt: '<role>You are helpful.</role>',
      messages: [{ id: 'q1', role: 'user', parts: [{ type: 'text', text: 'What is 2 + 2?' }] }],
    });
    context.set(assistant('5', { id: 'a1' }));
    await context.save();
    expect(await context.rewind('q1')).toEqual({
      id: expect.any(String) as string,
      name: 'main-v2',
      headMessageId: 'q1',
      isActive: true,
      messageCount: 1,
      createdAt: expect.any(Number) as number,
    });
    context.set(assistant('4', { id: 'a2' }), lastAssistantMessage('four'));
    await context.save();
    const { messages } = await context.resolve({ renderer });
    expect(messages).toHaveLength(2);
    expect(await store.getGraph('chat-001')).toMatchObject({ nodes: [{}, {}, {}, {}] });
  });
});
