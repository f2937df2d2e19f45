/** The sources of messages in Branch.context, compared with those of an engine. */
import { expectedHead } from '../support/chats/positions.js';
import fc from 'fast-check';
import { ContextEngine, RemoteStore } from '@parley/context';
import { beforeEach, expect, test } from 'vitest';
import { createChat, save } from '../support/chats/operations.js';
import { runs } from '../support/effort.js';
import { openParley, type Parley } from '../support/server/parley.js';
import { CONTEXT, RENDERERS, type Resolved } from '../features/contexts/context-branches.js';

let parley: Parley;

beforeEach(async () => {
  parley = await openParley();
  await createChat(parley, 'c');
});

const message = (id: string, name = 'user', sourceIds?: string[]) => ({ id, name, content: { text: id }, sourceIds });

async function contextOf(input: object, chat = 'c', branch = 'main') {
  const { data, errors } = await parley.ask(CONTEXT, { chat, branch, input });
  const context = (data as { chat: { branch: { context: Resolved } | null } } | null)?.chat.branch?.context;
  return { context, errors, ids: context?.messages.map(({ id }) => id) };
}

const branch = (name: string, messageId: string) =>
  parley.ask(`mutation ($input: BtwInput!) { btw(input: $input) { __typename } }`, {
    input: { chatId: 'c', branchName: name, at: { message: messageId } },
  });

test('reads the sources of all messages with three statements, and none without sourceTokens', async () => {
  await save(parley, { chatId: 'c', messages: [message('q'), message('a', 'assistant')] });
  for (let n = 0; n < 6; n++) {
    await branch(`side-${n}`, 'q');
    await save(parley, { chatId: 'c', branch: `side-${n}`, messages: [message(`s${n}`), message(`t${n}`)] });
    await save(parley, { chatId: 'c', branch: 'main', messages: [message(`x${n}`, 'user', [`t${n}`, `s${n}`])] });
  }
  parley.takeStatements();
  await contextOf({});
  const statements = parley.takeStatements().length;
  const { ids } = await contextOf({ sourceTokens: 100 });
  expect(parley.takeStatements()).toHaveLength(statements + 3);
  expect(ids?.filter((id) => id.endsWith(':sources'))).toHaveLength(6);
  expect((await contextOf({ sourceTokens: 100 }, 'c', 'side-1')).ids).toEqual(['q', 's1', 't1']);
  expect(parley.takeStatements()).toHaveLength(statements + 1);
});

test.each([0, -1, 100_001])('%d tokens are an error', async (sourceTokens) => {
  expect((await contextOf({ sourceTokens })).errors).toMatchObject([
    {
      message: `sourceTokens must be a whole number from 1 to 100000, not ${sourceTokens}`,
      extensions: { code: 'INVALID_INPUT', path: 'sourceTokens' },
    },
  ]);
});

test('a context with sources equals the result of an engine', async () => {
  const turn = fc.record({
    after: fc.nat(),
    name: fc.constantFrom('user', 'assistant', 'tool'),
    text: fc.constantFrom('', 'hello', 'a & b', 'long '.repeat(40)),
    sources: fc.uniqueArray(fc.nat({ max: 20 }), { maxLength: 4 }),
  });
  const limit = fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined });
  const store = new RemoteStore({
    url: 'http://localhost/graphql',
    fetch: (_url, init) => parley.post(init?.body as string),
  });
  let chats = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 2, maxLength: 12 }),
      fc.integer({ min: 1, max: 200 }),
      limit,
      async (turns, sourceTokens, maxTokens) => {
        const chatId = `any-${chats++}`;
        await createChat(parley, chatId);
        const idOf = (n: number) => `${chatId}-${n}`;
        for (const [n, { after, name, text, sources }] of turns.entries()) {
          const parent = n === 0 || after % 4 === 0 ? null : idOf(after % n);
          await save(parley, {
            chatId,
            expectedHead: expectedHead(parent),
            onConflict: 'FORK',
            messages: [
              { id: idOf(n), name, content: { text }, sourceIds: sources.filter((each) => each < n).map(idOf) },
            ],
          });
        }
        const input = { sourceTokens, ...(maxTokens && { maxTokens }) };
        const branches = await store.listBranches(chatId);
        for (const { name, headMessageId } of branches) {
          if (headMessageId === null) continue;
          const { context, errors } = await contextOf(input, chatId, name);
          const engine = new ContextEngine({ store, chatId, userId: 'local', branch: name });
          const resolved = await engine.resolve({ renderer: RENDERERS.XML, ...input }).catch((error: Error) => error);
          if (resolved instanceof Error) expect(errors?.[0]?.message).toBe(resolved.message);
          else expect(context).toEqual(resolved);
        }
      },
    ),
    { numRuns: runs(25) },
  );
});
