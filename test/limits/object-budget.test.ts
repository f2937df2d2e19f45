/** Returned objects are counted: lists without arguments may be long. */
import { expect, it } from 'vitest';
import { startListening } from '../support/server/listening-server.js';
import { bothTransports } from './both-transports.js';
import { openStream } from '../support/server/event-stream.js';
import { writeChain, writeChildren } from '../support/chats/large-chats.js';
import { temporaryDatabase } from '../support/database/temporary-database.js';
import { WITH_DEMO } from '../features/demo/with-demo.js';

const refusal = (limit: number) => ({
  message: `The operation returns more than ${limit} objects: request shorter lists`,
  extensions: { code: 'COST_LIMIT_EXCEEDED', limit },
});

/** The first message of the demo. */
const ROOT = 'demo-system';

/** Gives the chat "demo" so many roots. */
const addRoots = (count: number) => {
  const save = (n: number) =>
    `r${n}: editMessage(input: { chatId: "demo", messageId: "${ROOT}", content: { text: "${n}" } }) { __typename }`;
  return `mutation { ${Array.from({ length: count }, (_, n) => save(n)).join(' ')} }`;
};

/** Saves 1,500 messages at the end of "demo". */
async function addMessages(ask: (document: string, variables?: unknown) => Promise<unknown>): Promise<void> {
  const document = 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }';
  const messages = Array.from({ length: 500 }, () => ({ name: 'user', content: { text: 'x' } }));
  for (let n = 0; n < 3; n++) {
    const saved = await ask(document, { input: { chatId: 'demo', messages } });
    expect(saved).toHaveProperty('data.saveMessages.__typename', 'SaveMessagesPayload');
  }
}

it('nested lists end the operation when their total exceeds the limit', async () => {
  const { ask } = await bothTransports({ costLimit: 2000 });
  for (let n = 0; n < 2; n++) expect(await ask(addRoots(7))).toHaveProperty('data.r6');
  const roots = (await ask('{ chat(id: "demo") { roots { id } } }')).data as { chat: { roots: object[] } };
  const count = roots.chat.roots.length;
  expect(count ** 2).toBeLessThan(2000);
  expect(count ** 3).toBeGreaterThan(2000);
  const within = '{ chat(id: "demo") { roots { siblings { id } } } }';
  expect(await ask(within)).not.toHaveProperty('errors');
  const beyond = '{ chat(id: "demo") { roots { siblings { siblings { id } } } } }';
  expect(await ask(beyond)).toMatchObject({ data: { chat: null }, errors: [refusal(2000)] });
});

it.each([
  ['a chain', '{ chat(id: "demo") { activeBranch { chain { id } } } }'],
  ['a chain of fields that are not plain', '{ chat(id: "demo") { activeBranch { chain { id siblingCount } } } }'],
  ['a graph', '{ chat(id: "demo") { graph { nodes { id } } } }'],
  ['the context of a model', '{ chat(id: "demo") { activeBranch { context(input: {}) { messages } } } }'],
])('%s longer than the limit is not read', async (_, query) => {
  const statements: string[] = [];
  const server = await startListening({
    ...WITH_DEMO,
    limits: { costLimit: 1010 },
    onStatement: (sql) => statements.push(sql),
  });
  await addMessages(server.ask);
  statements.length = 0;
  expect((await server.ask(query)).errors).toMatchObject([refusal(1010)]);
  expect(statements.filter((sql) => /WITH RECURSIVE|"preview"/.test(sql))).toEqual([]);
});

it('an outline counts its segments, for any number of messages', async () => {
  const database = await temporaryDatabase();
  await writeChain(database.store, 'chain', 1_500);
  await writeChildren(database.store, 'fan', 1_500);
  const { ask } = await startListening({ databaseUrl: database.url, limits: { costLimit: 1010 } });
  const outline = (chatId: string) => ask(`{ chat(id: "${chatId}") { outline { segments { length } } } }`);
  expect(await outline('chain')).toEqual({ data: { chat: { outline: { segments: [{ length: 1_500 }] } } } });
  expect((await outline('fan')).errors).toMatchObject([refusal(1010)]);
  await database.remove();
});

it('lists that are written at once are counted with the others', async () => {
  const { ask } = await startListening({ ...WITH_DEMO, limits: { costLimit: 5000 } });
  const chain = (n: number) => `c${n}: activeBranch { chain { id } }`;
  await addMessages(ask);
  expect(await ask(`{ chat(id: "demo") { ${chain(0)} } }`)).not.toHaveProperty('errors');
  const four = `{ chat(id: "demo") { ${[0, 1, 2, 3].map(chain).join(' ')} } }`;
  expect((await ask(four)).errors).toMatchObject([refusal(5000)]);
});

it('pages in an unlimited list count their elements, also when they are written at once', async () => {
  const { ask } = await startListening({ ...WITH_DEMO, limits: { costLimit: 2000 } });
  for (let n = 0; n < 5; n++) expect(await ask(addRoots(10))).toHaveProperty('data.r9');
  const roots = (page: string) => `{ chat(id: "demo") { roots { chat { ${page} { edges { node { id name } } } } } } }`;
  expect(await ask(roots('branches(first: 30)'))).not.toHaveProperty('errors');
  expect((await ask(roots('branches(first: 50)'))).errors).toMatchObject([refusal(2000)]);
  expect((await ask(roots('messages(first: 50)'))).errors).toMatchObject([refusal(2000)]);
});

it('each answer of a subscription has the full limit', async () => {
  const { ask, post } = await startListening({ ...WITH_DEMO, limits: { costLimit: 1010 } });
  const query = 'subscription { chatEvents(chatId: "demo", after: 0) { ... on BranchHeadMoved { messages { id } } } }';
  const stream = await openStream({ post }, query);
  for (let n = 0; n < 3; n++) {
    const messages = Array.from({ length: 400 }, () => '{ name: "user", content: { text: "x" } }').join(' ');
    await ask(`mutation { saveMessages(input: { chatId: "demo", messages: [${messages}] }) { __typename } }`);
  }
  const { chat } = (
    (await (await post('{"query":"{ chat(id: \\"demo\\") { version } }"}')).json()) as {
      data: { chat: { version: number } };
    }
  ).data;
  for (const answer of await stream.take(chat.version)) expect(answer).not.toHaveProperty('errors');
});

it('a condition that is null does not disable the others', async () => {
  const { ask } = await bothTransports({ costLimit: 1000 });
  const query = `query ($b: Boolean = true) { chat(id: "demo") { graph { nodes { id } } } x: chat(id: "nope") { id @skip(if: $b) } }`;
  expect((await ask(query, { b: null })).errors).toMatchObject([{ extensions: { code: 'COST_LIMIT_EXCEEDED' } }]);
});
