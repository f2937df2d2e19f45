/** Branch.context: the input of a model. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  assistant,
  ContextEngine,
  lastAssistantMessage,
  message,
  RemoteStore,
  user,
  type ContextFragment,
} from '@parley/context';
import { runs } from '../../support/effort.js';
import { createChat, save } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { CONTEXT, RENDERERS, type Resolved } from './context-branches.js';

let parley: Parley;

beforeEach(async () => {
  parley = await openParley();
  await createChat(parley, 'c');
});

async function contextOf(input: object, branch = 'main'): Promise<Resolved> {
  const { data, errors } = await parley.ask(CONTEXT, { chat: 'c', branch, input });
  expect(errors).toBeUndefined();
  return (data as { chat: { branch: { context: Resolved } } }).chat.branch.context;
}

/** An engine on the same chat, over GraphQL without a socket. */
function engine(): ContextEngine {
  const store = new RemoteStore({
    url: 'http://localhost/graphql',
    fetch: (_url, init) => parley.post(init?.body as string),
  });
  return new ContextEngine({ store, chatId: 'c', userId: 'local' });
}

const uiMessage = (id: string, name: string, text: string) => ({ id, role: name, parts: [{ type: 'text', text }] });

test('the fragments are the system prompt, and pending messages follow those of the branch', async () => {
  await save(parley, {
    chatId: 'c',
    messages: [
      { id: 'q', name: 'user', content: { text: 'What is 2 + 2?' } },
      { id: 'a', name: 'assistant', content: { data: 'four' } },
    ],
  });
  expect(
    await contextOf({
      fragments: [
        { name: 'role', data: 'You are helpful.' },
        {
          name: 'database',
          data: [
            { name: 'hint', data: 'PostgreSQL 18' },
            { name: 'hint', data: 'Read only' },
          ],
        },
      ],
      pending: [
        { id: 'q2', name: 'user', content: { text: 'And 3 + 3?' } },
        { id: 't', name: 'tool', content: { data: { sum: 6 } } },
      ],
    }),
  ).toEqual({
    systemPrompt: [
      '<role>You are helpful.</role>',
      '<database>',
      '  <hint>PostgreSQL 18</hint>',
      '  <hint>Read only</hint>',
      '</database>',
    ].join('\n'),
    messages: [uiMessage('q', 'user', 'What is 2 + 2?'), 'four', uiMessage('q2', 'user', 'And 3 + 3?'), { sum: 6 }],
    summary: null,
    omittedMessages: 0,
    estimatedTokens: 54,
  });
});

test('without fragments or messages the result is empty', async () => {
  expect(await contextOf({})).toEqual({
    systemPrompt: '',
    messages: [],
    summary: null,
    omittedMessages: 0,
    estimatedTokens: 0,
  });
});

describe('a pending message with a lazy id', () => {
  const lazy = (text: string) => ({ lazyId: 'LAST_ASSISTANT', name: 'assistant', content: { text } });

  test('is another version of the newest assistant message of the branch', async () => {
    await save(parley, {
      chatId: 'c',
      messages: [
        { id: 'a1', name: 'assistant', content: { text: 'one' } },
        { id: 'a2', name: 'assistant', content: { text: 'two' } },
        { id: 'u', name: 'user', content: { text: 'hm' } },
      ],
    });
    expect((await contextOf({ pending: [lazy('TWO')] })).messages.at(-1)).toEqual(uiMessage('a2', 'assistant', 'TWO'));
  });

  test('is another version of an earlier pending message', async () => {
    const pending = [
      { id: 'p1', name: 'assistant', content: { text: 'one' } },
      lazy('ONE'),
      { id: 'p2', name: 'assistant', content: { text: 'two' } },
    ];
    expect((await contextOf({ pending })).messages.map(({ id }) => id)).toEqual(['p1', 'p1', 'p2']);
  });

  test('is the first assistant message of an empty branch, and the next one is another version', async () => {
    const [first, second] = (await contextOf({ pending: [lazy('one'), lazy('ONE')] })).messages;
    expect(first).toEqual(uiMessage(first!.id, 'assistant', 'one'));
    expect(second).toEqual(uiMessage(first!.id, 'assistant', 'ONE'));
  });
});

test('it equals the result of an engine for any messages and fragments', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '<', '&', '#', '\n', '"', 'é', '💬', '|', '-') });
  const data = fc.letrec((tie) => ({
    data: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('data'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b c', '1'), tie('data'), { maxKeys: 2 }),
      fc.record({ name: fc.constantFrom('hint', 'two words'), data: tie('data') }),
    ),
  })).data;
  const fragments = fc.array(fc.record({ name: fc.constantFrom('role', 'hint', '2nd'), data }), { maxLength: 4 });
  const names = fc.constantFrom('user', 'assistant', 'tool');
  const pending = fc.array(
    fc.oneof(
      fc.record({ name: names, text }),
      fc.record({ lazy: text }),
      fc.record({ name: names, data: fc.jsonValue() }),
    ),
    { maxLength: 5 },
  );
  await save(parley, { chatId: 'c', messages: [{ id: 'first', name: 'assistant', content: { text: 'hello' } }] });
  await fc.assert(
    fc.asyncProperty(fragments, pending, fc.constantFrom(...keysOf(RENDERERS)), async (given, waiting, renderer) => {
      const context = engine().set(...(given as ContextFragment[]));
      const inputs: object[] = [];
      for (const [index, each] of waiting.entries()) {
        const id = `p${index}`;
        if ('lazy' in each) {
          context.set(lastAssistantMessage(each.lazy));
          inputs.push({ lazyId: 'LAST_ASSISTANT', name: 'assistant', content: { text: each.lazy } });
        } else if ('text' in each) {
          context.set(message(each.text, { id, name: each.name }));
          inputs.push({ id, name: each.name, content: { text: each.text } });
        } else if (each.data !== null && typeof each.data !== 'string') {
          context.set(message(each.data, { id, name: each.name }));
          inputs.push({ id, name: each.name, content: { data: each.data } });
        }
      }
      const resolved = await context.resolve({ renderer: RENDERERS[renderer] });
      expect(await contextOf({ fragments: given, pending: inputs, renderer })).toEqual(
        JSON.parse(JSON.stringify(resolved)),
      );
    }),
    { numRuns: runs(60) },
  );
});

test('the next engine and all clients read the messages that an engine saved', async () => {
  const context = engine().set(user('q', { id: 'u' }), assistant('a', { id: 'a' }));
  await context.save();
  const { messages } = await engine().resolve({ renderer: RENDERERS.XML });
  expect(messages).toEqual([uiMessage('u', 'user', 'q'), uiMessage('a', 'assistant', 'a')]);
  expect((await contextOf({})).messages).toEqual(messages);
});

function keysOf<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value) as (keyof T)[];
}
