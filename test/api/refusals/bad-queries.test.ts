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
    'all messages': (args: string) => `{ chat(id: "c") { messages(${args}) { edges { cursor } } } }`,
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
      'first: 0, last: 0',
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

  test.each(Object.entries(LISTS))(
    '%s accepts a cursor only in the form in which it was issued',
    async (name, list) => {
      await parley.ask('mutation { createCheckpoint(input: { chatId: "c", name: "n" }) { __typename } }');
      const { data } = await parley.ask(list('first: 1'));
      const [, own = ''] = /"cursor":"([^"]+)"/.exec(JSON.stringify(data)) ?? [];
      expect((await parley.ask(list(`after: "${own}"`))).errors).toBeUndefined();
      const text = Buffer.from(own, 'base64url').toString();
      const positions = ['0$&', '$&e0', '$&.0', '+$&', ' $&', '٣', '$&000000000000000'];
      const changed = [
        ...[`${own}=`, `${own}\\n`, ` ${own}`, `${own}!`, `${own.slice(0, 3)} ${own.slice(3)}`],
        ...[
          `${text} `,
          `${text}\0`,
          ...(name === 'chats' ? [] : [`${text}x`]),
          ...positions.map((to) => text.replace(/\d+/, to)),
        ].map(cursor),
        Buffer.from([...Buffer.from(text), 0xff]).toString('base64url'),
      ];
      for (const before of changed) {
        const { errors } = await parley.ask(list(`before: "${before}"`));
        expect({ before, errors }).toMatchObject({
          before,
          errors: [{ message: expect.stringMatching(/^before /) as string, extensions: { code: 'BAD_USER_INPUT' } }],
        });
      }
    },
  );

  test('lists continue after objects with any ids', async () => {
    const id = 'a:b\n😀:7';
    await createChat(parley, id);
    await save(parley, { chatId: id, messages: [userMessage(id), userMessage('z')] });
    const read = async (...after: string[]) => {
      const argument = (n: number) => (after[n] === undefined ? '' : `, after: "${after[n]}"`);
      const { data } = await parley.ask(
        `query ($id: ID!) {
          chats(first: 1${argument(0)}) { edges { cursor } }
          chat(id: $id) {
            messages(first: 1${argument(1)}) { edges { cursor } }
            activeBranch { messages(first: 1${argument(2)}) { edges { cursor } } }
          }
        }`,
        { id },
      );
      return Array.from(JSON.stringify(data).matchAll(/"cursor":"([^"]+)"/g), ([, found = '']) => found);
    };
    const cursors = await read();
    expect(new Set([...cursors, ...(await read(...cursors))]).size).toBe(6);
  });

  test('a nodeId finds nothing in another encoding', async () => {
    const { data } = await parley.ask('{ chat(id: "c") { nodeId } }');
    const { nodeId } = (data as { chat: { nodeId: string } }).chat;
    const find = async (id: string) => (await parley.ask(`{ node(nodeId: "${id}") { nodeId } }`)).data;
    expect(await find(nodeId)).toEqual({ node: { nodeId } });
    for (const id of [`${nodeId}=`, ` ${nodeId}`, cursor(':c'), 'Chat:c'])
      expect(await find(id)).toEqual({ node: null });
    const member = (key: string) => cursor(`ChatMember:${key}`);
    expect(await find(member('["c","local"]'))).toEqual({ node: { nodeId: member('["c","local"]') } });
    for (const key of ['["c", "local"]', '["c","local",1]', 'c', '[]'])
      expect(await find(member(key))).toEqual({ node: null });
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
    ['{ message(id: "m1") { chain(limit: -1) { id } } }', /limit must not be negative, but is -1/],
    ['{ chats(filter: { userId: "" }) { totalCount } }', /filter\.userId must not be empty/],
    ['{ chats(filter: { metadata: [{ key: "a" }] }) { totalCount } }', /filter\.metadata\.0\.equals is missing/],
    ['{ chats(filter: { metadata: [{ key: "a\\u0000", equals: 1 }] }) { totalCount } }', /U\+0000/],
    ['{ chats(first: 99999999999) { totalCount } }', /32-bit/],
    [LISTS.messages(`after: "${cursor('on-path:m1\0')}"`), /after is not a cursor of this list/],
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
