import { expect, test } from 'vitest';
import { openStream } from '../../support/server/event-stream.js';
import { graphOperations, operations, type Recipe } from '../../support/chats/frontend-documents.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { WITH_DEMO } from './with-demo.js';

/** The result of an operation; of a subscription, the first result after a change. */
async function firstAnswer(parley: Parley, { name, text, variables }: Recipe) {
  if (!text.startsWith('subscription')) return parley.ask(text, variables);
  const stream = await openStream(parley, text, variables);
  await parley.ask(`mutation { updateChat(input: { chatId: "demo", title: "${name}" }) { __typename } }`);
  const [answer] = await stream.take(1);
  return answer!;
}

test.each([
  ['graphql', operations, 16],
  ['graphs.md', graphOperations, 5],
])('the operations of docs/%s work on the demo, one after the other', async (_page, recipes, atLeast) => {
  const parley = await openParley(WITH_DEMO);
  expect(recipes.length).toBeGreaterThanOrEqual(atLeast);
  for (const recipe of recipes) {
    const { name } = recipe;
    const { data, errors } = await firstAnswer(parley, recipe);
    expect(errors, name).toBeUndefined();
    const answer = JSON.stringify(data);
    expect(answer, name).not.toMatch(/Error"/);
    expect(answer, name).not.toMatch(/^\{"\w+":null\}$/);
  }
});

test('the recipe reads a thread backwards, and refuses a cursor of another thread', async () => {
  const parley = await openParley(WITH_DEMO);
  const { text } = operations.find(({ name }) => name === 'ThreadQuery')!;
  interface Thread {
    chat: { activeBranch: { messages: { edges: { node: { id: string } }[]; pageInfo: { startCursor: string } } } };
  }
  const ids = (data: unknown) => (data as Thread).chat.activeBranch.messages.edges.map(({ node }) => node.id);
  const newest = await parley.ask(text, { chatId: 'demo', last: 2 });
  expect(ids(newest.data)).toEqual(['demo-food', 'demo-food-answer']);
  const before = (newest.data as unknown as Thread).chat.activeBranch.messages.pageInfo.startCursor;
  const older = await parley.ask(text, { chatId: 'demo', last: 2, before });
  expect(ids(older.data)).toEqual(['demo-question', 'demo-answer']);

  await parley.ask('mutation { switchBranch(input: { chatId: "demo", name: "main-v2" }) { __typename } }');
  const { errors } = await parley.ask(text, { chatId: 'demo', last: 2, before });
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT', reason: 'CURSOR_ELSEWHERE' } }]);
});
