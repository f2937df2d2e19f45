/** The limits of Branch.context, compared with the limits of an engine. */
import fc from 'fast-check';
import { ContextEngine, RemoteStore } from '@parley/context';
import { beforeEach, describe, expect, test } from 'vitest';
import { createChat, save } from '../support/chats/operations.js';
import { runs } from '../support/effort.js';
import { openParley, type Parley } from '../support/server/parley.js';
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

test('a context within limits equals the result of an engine', async () => {
  const names = fc.array(fc.constantFrom('user', 'assistant', 'tool', 'system'), { minLength: 1, maxLength: 200 });
  const limit = fc.option(fc.integer({ min: 1, max: 3_000 }), { nil: undefined });
  let chats = 0;
  await fc.assert(
    fc.asyncProperty(names, limit, limit, async (saved, maxTokens, lastMessages) => {
      const chatId = `any-${chats++}`;
      await createChat(parley, chatId);
      await save(parley, { chatId, messages: saved.map((name, n) => message(`${chatId}-${n}`, name)) });
      const limits = { ...(maxTokens && { maxTokens }), ...(lastMessages && { lastMessages }) };
      const { data, errors } = await parley.ask(CONTEXT, { chat: chatId, branch: 'main', input: limits });
      const store = new RemoteStore({
        url: 'http://localhost/graphql',
        fetch: (_url, init) => parley.post(init?.body as string),
      });
      const context = new ContextEngine({ store, chatId, userId: 'local' });
      const resolved = await context.resolve({ renderer: RENDERERS.XML, ...limits }).catch((error: Error) => error);
      if (resolved instanceof Error) expect(errors?.[0]?.message).toBe(resolved.message);
      else expect((data as { chat: { branch: { context: Resolved } } }).chat.branch.context).toEqual(resolved);
    }),
    { numRuns: runs(100) },
  );
});
