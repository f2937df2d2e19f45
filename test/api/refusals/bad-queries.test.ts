/** Queries with arguments that are refused. */
import { beforeEach, describe, expect, test } from 'vitest';
import { createChat, save, userMessage } from '../../support/chats/operations.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { INPUT_TYPES, type Mutation, message } from './bad-values.js';

let parley: Parley;

beforeEach(async () => {
  parley = await openParley();
  await createChat(parley, 'c');
  await createChat(parley, 'empty');
  await save(parley, { chatId: 'c', messages: [userMessage('m1'), userMessage('m2')] });
});

async function mutate(mutation: Mutation, input: object) {
  const { data, errors } = await parley.ask(
    `mutation ($input: ${INPUT_TYPES[mutation]}!) {
      result: ${mutation}(input: $input) { __typename ... on Error { message } ... on InvalidInputError { path } }
    }`,
    { input },
  );
  return errors ?? (data as { result: unknown }).result;
}

describe('of a query: an error with code BAD_USER_INPUT', () => {
  const LISTS = {
    chats: (args: string) => `{ chats(${args}) { edges { cursor } } }`,
    children: (args: string) => `{ message(id: "m1") { children(${args}) { edges { cursor } } } }`,
    messages: (args: string) => `{ chat(id: "c") { activeBranch { messages(${args}) { edges { cursor } } } } }`,
    branches: (args: string) => `{ chat(id: "c") { branches(${args}) { edges { cursor } } } }`,
    checkpoints: (args: string) => `{ chat(id: "c") { checkpoints(${args}) { edges { cursor } } } }`,
    events: (args: string) => `{ chat(id: "c") { events(${args}) { edges { cursor } } } }`,
  };
  const cursor = (text: string) => Buffer.from(text).toString('base64url');

  test.each(Object.entries(LISTS))('%s refuses wrong pages and cursors', async (_name, list) => {
    for (const args of [
      'first: -1',
      'last: -1',
      'first: 1001',
      'last: 1001',
      'first: 1, last: 1',
      'after: ""',
      'before: "x"',
      `after: "${cursor('nothing:1')}"`,
      `after: "${cursor('path:-1')}"`,
      `before: "${cursor('child:1.5')}"`,
      `after: "${cursor('branch:1e3')}"`,
      `after: "${cursor('event:99999999999999999999')}"`,
      `after: "${cursor('chat:1')}"`,
      `after: "${cursor('chat:007:c')}"`,
      `after: "${cursor('chat:-0:c')}"`,
      `after: "${cursor('path:1')}="`,
    ]) {
      const { errors } = await parley.ask(list(args));
      expect({ args, errors }).toMatchObject({ args, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    }
  });

  test.each(Object.entries(LISTS))('%s refuses the cursor of another list', async (name, list) => {
    await parley.ask('mutation { createCheckpoint(input: { chatId: "c", name: "n" }) { __typename } }');
    const others = Object.entries(LISTS).filter(([other]) => other !== name);
    for (const [other, otherList] of others) {
      const { data } = await parley.ask(otherList('first: 1'));
      const [, foreign] = /"cursor":"([^"]+)"/.exec(JSON.stringify(data)) ?? [];
      const { errors } = await parley.ask(list(`after: "${foreign}"`));
      expect({ other, errors }).toMatchObject({
        other,
        errors: [{ message: 'after is not a cursor of this list', extensions: { code: 'BAD_USER_INPUT' } }],
      });
    }
  });

  test.each([
    ['{ message(id: "m1") { chain(limit: -1) { id } } }', /limit must not be negative/],
    ['{ chats(filter: { userId: "" }) { totalCount } }', /filter\.userId must not be empty/],
    ['{ chats(filter: { metadata: [{ key: "a" }] }) { totalCount } }', /filter\.metadata\.0\.equals is missing/],
    ['{ chats(filter: { metadata: [{ key: "a\\u0000", equals: 1 }] }) { totalCount } }', /U\+0000/],
    ['{ chats(first: 99999999999) { totalCount } }', /32-bit/],
    [
      `{ chats(filter: { metadata: [${'{ key: "a", equals: 1 } '.repeat(11)}] }) { totalCount } }`,
      /filter\.metadata must have at most 10 elements, not 11/,
    ],
  ])('%s', async (query, reason) => {
    const { errors } = await parley.ask(query);
    expect(errors).toMatchObject([{ message: expect.stringMatching(reason) as string }]);
    expect(errors?.[0]?.extensions?.['code']).toMatch(/BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED/);
  });

  test('variables of a wrong type are named with the reason', async () => {
    const { errors } = await parley.ask('query ($n: Int!) { chats(first: $n) { totalCount } }', { n: 'many' });
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/"\$n".*"many"/) as string, extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(await mutate('saveMessages', message({ text: 'a', data: 'b' }))).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});

describe('metadata filters compare typed values', () => {
  const METADATA = {
    true: true,
    one: 1,
    'text 1': '1',
    null: null,
    list: [1, { b: 2, a: 1 }],
    object: { b: [true], a: null },
    'nothing in it': {},
    big: 1e300,
    half: 0.5,
    'é"\\': 'é"\\',
  };

  test.each(Object.entries(METADATA))('%s', async (id, value) => {
    for (const [each, tag] of Object.entries(METADATA)) {
      await parley.ask('mutation ($input: CreateChatInput!) { createChat(input: $input) { __typename } }', {
        input: { id: each, metadata: { tag, ['key "of" ' + each]: tag } },
      });
    }
    for (const key of ['tag', `key "of" ${id}`]) {
      const { data } = await parley.ask(
        'query ($filter: ChatFilter) { chats(filter: $filter) { totalCount edges { node { id } } } }',
        { filter: { metadata: [{ key, equals: value }] } },
      );
      expect(data).toEqual({ chats: { totalCount: 1, edges: [{ node: { id } }] } });
    }
  });
});
