/** The limits of Branch.context, compared with the limits of an engine. */
import fc from 'fast-check';
import { ContextEngine, RemoteStore } from '@parley/context';
import { beforeEach, describe, expect, test } from 'vitest';
import { createChat, save } from '../../support/chats/operations.js';
import { runs } from '../../support/effort.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { CONTEXT, RENDERERS, type Resolved } from './context-branches.js';

let parley: Parley;

beforeEach(async () => {
  parley = await openParley();
  await createChat(parley, 'c');
});

/** A message of 40 bytes: 10 tokens for its text and 4 for the message. */
const message = (id: string, name: string) => ({ id, name, content: { text: id.padEnd(40, '.') } });

const TURNS = ['user', 'assistant', 'user', 'assistant', 'tool', 'tool', 'assistant', 'user', 'assistant', 'tool'];

async function saveTurns(names: readonly string[] = TURNS): Promise<void> {
  await save(parley, { chatId: 'c', messages: names.map((name, n) => message(`m${n}`, name)) });
}

async function contextOf(input: object) {
  const { data, errors } = await parley.ask(CONTEXT, { chat: 'c', branch: 'main', input });
  const context = (data as { chat: { branch: { context: Resolved } | null } } | null)?.chat.branch?.context;
  return { context, errors, ids: context?.messages.map(({ id }) => id) };
}

describe('maxTokens', () => {
  test('keeps the newest messages that fit, from a message of the user on', async () => {
    await saveTurns();
    const { context, ids } = await contextOf({ maxTokens: 5 * 14 });
    expect(ids).toEqual(['m7', 'm8', 'm9']);
    expect(context).toMatchObject({ omittedMessages: 7, estimatedTokens: 3 * 14 });
    expect((await contextOf({ maxTokens: 8 * 14 })).ids).toEqual(['m2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9']);
    expect((await contextOf({ maxTokens: 8 * 14 - 1 })).ids).toEqual(['m7', 'm8', 'm9']);
  });

  test('keeps the result of a tool with its call when no message of the user fits', async () => {
    await saveTurns(['user', 'assistant', 'tool', 'tool']);
    expect((await contextOf({ maxTokens: 3 * 14 })).ids).toEqual(['m1', 'm2', 'm3']);
    const { errors } = await contextOf({ maxTokens: 2 * 14 });
    expect(errors).toMatchObject([
      {
        message: 'maxTokens is too small for the newest result of a tool and its call',
        extensions: { code: 'INVALID_INPUT', path: 'maxTokens' },
      },
    ]);
  });

  test('counts pending messages, which are the newest', async () => {
    await saveTurns();
    const pending = [message('p', 'user')];
    const { context, ids } = await contextOf({ maxTokens: 2 * 14, pending });
    expect(ids).toEqual(['p']);
    expect(context).toMatchObject({ omittedMessages: 10, estimatedTokens: 14 });
  });

  test('counts names and texts that only contain a file', async () => {
    const input = {
      'data:name': 'a "data:text',
      list: ['\\\\', 'x"parley:file:', 'é😀'],
      url: 'data:image/png;base64,"\\AAAA',
    };
    const part = { type: 'tool-x', input };
    await save(parley, {
      chatId: 'c',
      messages: [{ name: 'user', content: { data: { role: 'user', parts: [part] } } }],
    });
    const counted = Buffer.byteLength(JSON.stringify({ input: { ...input, url: '' } }));
    const { context } = await contextOf({ maxTokens: 10_000 });
    expect(context?.estimatedTokens).toBe(Math.ceil(counted / 4) + 1_000 + 4);
  });

  test('counts a file as 1,000 tokens, not its content', async () => {
    const url = `data:image/png;base64,${'A'.repeat(6_000)}`;
    const data = { id: 'f', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url }] };
    await save(parley, { chatId: 'c', messages: [{ id: 'f', name: 'user', content: { data } }] });
    const { context } = await contextOf({ maxTokens: 1_020 });
    expect(context?.estimatedTokens).toBeGreaterThan(1_000);
  });

  test('smaller than the newest message is an error', async () => {
    await saveTurns();
    const { errors } = await contextOf({ maxTokens: 13 });
    expect(errors).toMatchObject([
      {
        message: 'maxTokens is 13, but the newest message alone has about 14 tokens',
        extensions: { path: 'maxTokens' },
      },
    ]);
  });
});

test('lastMessages keeps a number of messages, from a message of the user on', async () => {
  await saveTurns();
  expect((await contextOf({ lastMessages: 9 })).ids).toEqual(['m2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8', 'm9']);
  expect((await contextOf({ lastMessages: 2 })).ids).toEqual(['m8', 'm9']);
  expect((await contextOf({ lastMessages: 10 })).context).toMatchObject({ omittedMessages: 0 });
  expect((await contextOf({ lastMessages: 3, maxTokens: 14 * 20 })).ids).toEqual(['m7', 'm8', 'm9']);
  const { errors } = await contextOf({ lastMessages: 1 });
  expect(errors?.[0]?.message).toBe('lastMessages is too small for the newest result of a tool and its call');
});

test.each(['maxTokens', 'lastMessages'])('%s below 1 is an error', async (limit) => {
  for (const value of [0, -1]) {
    const { errors } = await contextOf({ [limit]: value });
    expect(errors).toMatchObject([
      { message: `${limit} must be a whole number of 1 or more, not ${value}`, extensions: { path: limit } },
    ]);
  }
});

test('a limit reads only the end of a long branch', async () => {
  await saveTurns(Array.from({ length: 500 }, (_, n) => (n % 2 === 0 ? 'user' : 'assistant')));
  parley.takeStatements();
  const whole = await contextOf({});
  const all = parley.takeStatements().length;
  const { ids, context } = await contextOf({ lastMessages: 20 });
  expect(parley.takeStatements()).toHaveLength(all);
  expect([whole.ids?.length, ids, context?.omittedMessages]).toEqual([500, whole.ids?.slice(-20), 480]);
  const steps = await contextOf({ maxTokens: 14 * 400 });
  expect([steps.ids, steps.context?.omittedMessages]).toEqual([whole.ids?.slice(-400), 100]);
});

describe('summaries', () => {
  const summary = (id: string) => ({ ...message(id, 'user'), type: 'summary' });

  beforeEach(async () => {
    await save(parley, {
      chatId: 'c',
      messages: [...TURNS.slice(0, 4).map((name, n) => message(`m${n}`, name)), summary('s1')],
    });
    await save(parley, {
      chatId: 'c',
      messages: ['user', 'assistant', 'user', 'assistant'].map((name, n) => message(`n${n}`, name)),
    });
  });

  test('the newest one replaces the messages that do not fit', async () => {
    const { context, ids } = await contextOf({ maxTokens: 5 * 14, summaries: true });
    expect(ids).toEqual(['s1', 'n0', 'n1', 'n2', 'n3']);
    expect(context).toMatchObject({ summary: { id: 's1' }, omittedMessages: 5, estimatedTokens: 5 * 14 });
    expect((await contextOf({ maxTokens: 5 * 14 - 1, summaries: true })).ids).toEqual(['s1', 'n2', 'n3']);
    await save(parley, { chatId: 'c', messages: [summary('s2'), message('o', 'user')] });
    expect((await contextOf({ lastMessages: 1, summaries: true })).ids).toEqual(['s2', 'o']);
  });

  test('none is used when all messages fit', async () => {
    const { context, ids } = await contextOf({ maxTokens: 8 * 14, summaries: true });
    expect(ids).toEqual(['m0', 'm1', 'm2', 'm3', 'n0', 'n1', 'n2', 'n3']);
    expect(context).toMatchObject({ summary: null, omittedMessages: 0 });
  });

  test('none is used when the newest message does not fit beside it', async () => {
    const { context, ids } = await contextOf({ maxTokens: 2 * 14, summaries: true, pending: [message('p', 'user')] });
    expect([ids, context?.summary]).toEqual([['s1', 'p'], { id: 's1' }]);
    const tight = await contextOf({ maxTokens: 2 * 14 - 1, summaries: true, pending: [message('p', 'user')] });
    expect([tight.ids, tight.context?.summary]).toEqual([['p'], null]);
  });

  test('is an ordinary message without the option', async () => {
    expect((await contextOf({ lastMessages: 5 })).ids).toEqual(['s1', 'n0', 'n1', 'n2', 'n3']);
  });

  test('of branches that leave before it is not used', async () => {
    await parley.ask('mutation { rewind(input: { chatId: "c", at: { message: "m3" } }) { __typename } }');
    const turns = Array.from({ length: 200 }, (_, n) => message(`r${n}`, n % 2 === 0 ? 'user' : 'assistant'));
    await save(parley, { chatId: 'c', messages: turns });
    const { data } = await parley.ask('{ chat(id: "c") { activeBranch { name } } }');
    const branch = (data as { chat: { activeBranch: { name: string } } }).chat.activeBranch.name;
    const onSide = async () => {
      const answer = await parley.ask(CONTEXT, { chat: 'c', branch, input: { lastMessages: 2, summaries: true } });
      const { context } = (answer.data as { chat: { branch: { context: Resolved } } }).chat.branch;
      return [context.summary, context.messages.map(({ id }) => id)];
    };
    expect(await onSide()).toEqual([null, ['r198', 'r199']]);
    // Newer ones on other branches do not hide the one of the branch.
    await parley.ask('mutation { rewind(input: { chatId: "c", at: { message: "r9" } }) { __typename } }');
    await save(parley, { chatId: 'c', messages: [summary('s-side')] });
    for (let n = 0; n < 12; n++) {
      await save(parley, { chatId: 'c', branch: 'main', messages: [summary(`s-main-${n}`)] });
    }
    await save(parley, { chatId: 'c', messages: turns.map(({ id, ...each }) => ({ ...each, id: `${id}-side` })) });
    const { context } = await contextOf({ lastMessages: 1, summaries: true });
    expect(context?.summary).toEqual({ id: 's-main-11' });
    const active = await parley.ask(
      `{ chat(id: "c") { activeBranch { context(input: { lastMessages: 2, summaries: true }) { summary { id } } } } }`,
    );
    expect(active.data).toEqual({ chat: { activeBranch: { context: { summary: { id: 's-side' } } } } });
  });
});

test('a context within limits equals the result of an engine', async () => {
  const name = fc.constantFrom('user', 'assistant', 'tool', 'system');
  const type = fc.constantFrom('message', 'message', 'message', 'summary');
  const turns = fc.array(fc.record({ name, type }), { minLength: 1, maxLength: 200 });
  const limit = fc.option(fc.integer({ min: 1, max: 3_000 }), { nil: undefined });
  let chats = 0;
  await fc.assert(
    fc.asyncProperty(turns, limit, limit, fc.boolean(), async (saved, maxTokens, lastMessages, summaries) => {
      const chatId = `any-${chats++}`;
      await createChat(parley, chatId);
      await save(parley, {
        chatId,
        messages: saved.map((each, n) => ({ ...message(`${chatId}-${n}`, each.name), type: each.type })),
      });
      const limits = { summaries, ...(maxTokens && { maxTokens }), ...(lastMessages && { lastMessages }) };
      const { data, errors } = await parley.ask(CONTEXT, { chat: chatId, branch: 'main', input: limits });
      const store = new RemoteStore({
        url: 'http://localhost/graphql',
        fetch: (_url, init) => parley.post(init?.body as string),
      });
      const context = new ContextEngine({ store, chatId, userId: 'local' });
      const resolved = await context.resolve({ renderer: RENDERERS.XML, ...limits }).catch((error: Error) => error);
      if (resolved instanceof Error) expect(errors?.[0]?.message).toBe(resolved.message);
      else {
        const summary = resolved.summary && { id: resolved.summary.id };
        const { context: found } = (data as { chat: { branch: { context: Resolved } } }).chat.branch;
        expect(found).toEqual({ ...resolved, summary });
      }
    }),
    { numRuns: runs(100) },
  );
});
