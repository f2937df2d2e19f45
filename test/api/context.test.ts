/** Branch.context: what a model is called with, as the library's engine resolves it. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  assistant,
  ContextEngine,
  fragment,
  hint,
  lastAssistantMessage,
  MarkdownRenderer,
  message,
  RemoteStore,
  role,
  TomlRenderer,
  ToonRenderer,
  user,
  XmlRenderer,
  type ContextFragment,
} from '@parley/context';
import { runs } from '../support/effort.js';
import { createChat, save } from '../support/chats/operations.js';
import { openParley, type Parley } from '../support/server/parley.js';

const CONTEXT = `query ($chat: ID!, $branch: String!, $input: ContextInput!) {
  chat(id: $chat) { branch(name: $branch) { context(input: $input) { systemPrompt messages } } }
}`;

const RENDERERS = {
  XML: new XmlRenderer(),
  MARKDOWN: new MarkdownRenderer(),
  TOML: new TomlRenderer(),
  TOON: new ToonRenderer(),
};

let parley: Parley;
beforeEach(async () => {
  parley = await openParley();
  await createChat(parley, 'c');
});

interface Resolved {
  systemPrompt: string;
  messages: { id: string }[];
}

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
  });
});

test('UIMessages without parts are left out', async () => {
  const empty = (id: string, role: string) => ({ id, name: role, content: { data: { id, role, parts: [] } } });
  await save(parley, {
    chatId: 'c',
    messages: [{ id: 'q', name: 'user', content: { text: 'Hello?' } }, empty('a', 'assistant')],
  });
  const pending = [empty('b', 'user'), { id: 'r', name: 'user', content: { text: 'Anybody?' } }];
  expect((await contextOf({ pending })).messages).toEqual([
    uiMessage('q', 'user', 'Hello?'),
    uiMessage('r', 'user', 'Anybody?'),
  ]);
});

test('without fragments or messages the result is empty', async () => {
  expect(await contextOf({})).toEqual({ systemPrompt: '', messages: [] });
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

  test('or of an earlier pending one', async () => {
    const pending = [
      { id: 'p1', name: 'assistant', content: { text: 'one' } },
      lazy('ONE'),
      { id: 'p2', name: 'assistant', content: { text: 'two' } },
    ];
    expect((await contextOf({ pending })).messages.map(({ id }) => id)).toEqual(['p1', 'p1', 'p2']);
  });

  test('and without one it is the first, of which the next is another version', async () => {
    const [first, second] = (await contextOf({ pending: [lazy('one'), lazy('ONE')] })).messages;
    expect(first).toEqual(uiMessage(first!.id, 'assistant', 'one'));
    expect(second).toEqual(uiMessage(first!.id, 'assistant', 'ONE'));
  });
});

test.each(Object.entries(RENDERERS))('in %s it returns what an engine resolves', async (name, renderer) => {
  await save(parley, { chatId: 'c', messages: [{ id: 'a', name: 'assistant', content: { text: 'yes' } }] });
  const fragments = [
    role('You <are> *helpful*.'),
    fragment('limits', hint('a'), hint('b'), fragment('more', { name: 'rows', data: { max: 10, of: ['x', 1, true] } })),
  ];
  const context = engine().set(...fragments, user('and?', { id: 'u' }), lastAssistantMessage('no'));
  const pending = [
    { id: 'u', name: 'user', content: { text: 'and?' } },
    { lazyId: 'LAST_ASSISTANT', name: 'assistant', content: { text: 'no' } },
  ];
  expect(await contextOf({ fragments, pending, renderer: name })).toEqual(await context.resolve({ renderer }));
});

test('it returns what an engine resolves for any messages and fragments', async () => {
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

test('the next engine and every client read what an engine saves', async () => {
  const context = engine().set(user('q', { id: 'u' }), assistant('a', { id: 'a' }));
  await context.save();
  const { messages } = await engine().resolve({ renderer: RENDERERS.XML });
  expect(messages).toEqual([uiMessage('u', 'user', 'q'), uiMessage('a', 'assistant', 'a')]);
  expect((await contextOf({})).messages).toEqual(messages);
});

describe('bad input is an error with the path of the field', () => {
  const nested = (levels: number): object => ({ name: 'n', data: levels === 1 ? 'x' : [nested(levels - 1)] });

  test('64 levels are rendered', async () => {
    expect((await contextOf({ fragments: [nested(64)] })).systemPrompt.match(/<n>/g)).toHaveLength(64);
  });

  const REFUSED: [string, object, string, RegExp][] = [
    ['a 65th level', { fragments: [nested(65)] }, `fragments.0${'.data.0'.repeat(64)}`, /"n".* deeper than 64 levels/],
    [
      'arrays in arrays',
      { fragments: [{ name: 'n', data: arrays(66) }] },
      `fragments.0.data${'.0'.repeat(64)}`,
      /deeper/,
    ],
    ['a fragment without a name', { fragments: [{ name: '', data: 'x' }] }, 'fragments.0', /a name that is not empty/],
    [
      'one inside',
      { fragments: [nested(1), { name: 'h', data: [{ name: '', data: 1 }] }] },
      'fragments.1.data.0',
      /"h"/,
    ],
    [
      'more than 1 MiB',
      { fragments: [nested(1), { name: 'h', data: 'x'.repeat(1024 * 1024) }] },
      'fragments.1',
      /1048576 bytes/,
    ],
    [
      'a lone surrogate',
      { fragments: [{ name: 'h', data: { a: ['\ud800'] } }] },
      'fragments.0.data.a.0',
      /lone surrogate/,
    ],
    [
      'what XML cannot hold',
      { fragments: [{ name: 'h', data: { a: ['\u001b'] } }] },
      'fragments.0.data.a.0',
      /U\+001B/,
    ],
    [
      'a message that no text can hold',
      { pending: [{ name: 'user', content: { text: '\ud800' } }] },
      'pending.0.content.text',
      /lone surrogate/,
    ],
    [
      'a message without a name',
      { pending: [{ name: '', content: { text: 'x' } }] },
      'pending.0.name',
      /must not be empty/,
    ],
    [
      'an id that is given twice',
      { pending: ['a', 'b', 'b'].map((id) => ({ id, name: 'user', content: { text: 'x' } })) },
      'pending.2.id',
      /the same as pending\.1\.id/,
    ],
    [
      '501 messages',
      { pending: Array.from({ length: 501 }, () => ({ name: 'user', content: { text: 'x' } })) },
      'pending',
      /must have 0 to 500 elements, not 501/,
    ],
  ];
  test.each(REFUSED)('%s', async (_what, input, path, text) => {
    const { errors } = await parley.ask(CONTEXT, { chat: 'c', branch: 'main', input });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', path } }]);
    expect(errors?.[0]?.message).toMatch(text);
    expect(parley.takeUnexpectedErrors()).toEqual([]);
  });
});

test('a prompt that would be far longer than its fragments is refused before it is rendered', async () => {
  let data: unknown = Array.from({ length: 100_000 }, () => 1);
  for (let level = 0; level < 60; level++) data = { a: data };
  for (const renderer of Object.keys(RENDERERS)) {
    const { errors } = await parley.ask(CONTEXT, {
      chat: 'c',
      branch: 'main',
      input: { fragments: [{ name: 'n', data }], renderer },
    });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT' } }]);
    expect(errors?.[0]?.message).toMatch(
      /^Fragment "n": fragments\.0\.data(\.a){60}\.\d+ is too much: .* 4194304 characters$/,
    );
  }
});

test('all prompts of one operation share a limit', async () => {
  const aliases = Array.from({ length: 12 }, (_, n) => `a${n}: context(input: $input) { systemPrompt }`).join(' ');
  const document = `query ($input: ContextInput!) { chat(id: "c") { activeBranch { ${aliases} } } }`;
  const input = { fragments: [{ name: 'n', data: '&'.repeat(1_000_000) }] };
  const { errors } = await parley.ask(document, { input });
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID_INPUT', path: 'fragments' } }]);
  expect(errors?.[0]?.message).toMatch(/of one operation may have 16777216 characters together/);
});

test('it takes the same number of SQL statements for any number of messages and fragments', async () => {
  const counts: number[] = [];
  for (const size of [2, 60]) {
    const messages = Array.from({ length: size }, (_, n) => ({
      id: `${size}-${n}`,
      name: 'user',
      content: { text: 'x' },
    }));
    await save(parley, { chatId: 'c', messages });
    const fragments = Array.from({ length: size }, () => ({ name: 'hint', data: 'x' }));
    parley.takeStatements();
    await contextOf({ fragments, pending: [{ name: 'user', content: { text: 'x' } }] });
    counts.push(parley.takeStatements().length);
  }
  expect(counts[1]).toBe(counts[0]);
});

function arrays(levels: number): unknown {
  return levels === 0 ? 'x' : [arrays(levels - 1)];
}

function keysOf<T extends object>(value: T): (keyof T)[] {
  return Object.keys(value) as (keyof T)[];
}
