/** Each answer of a subscription has the bounds of a query. */
import { expect, it, onTestFinished, vi } from 'vitest';
import { Loader } from '../../src/graphql/loading/loader.js';
import { Usage } from '../../src/limits/usage.js';
import { collect } from '../support/collect.js';
import { startListening } from '../support/server/listening-server.js';
import { connectWebSocket } from '../support/server/raw-websocket.js';
import { WITH_DEMO } from '../features/demo/with-demo.js';

/** Each message depends on the previous one. */
const PARENTS = `${'parent { chat { latestLeaf { '.repeat(5)} id ${'} } } '.repeat(5)}`;
const rename = (title: string) =>
  `mutation { updateChat(input: { chatId: "demo", title: "${title}" }) { __typename } }`;

it('a timeout is the error of one answer, and the next answer follows', async () => {
  const server = await startListening({ ...WITH_DEMO, limits: { queryTimeoutMs: 0 } });
  const client = await connectWebSocket(server.webSocketUrl);
  client.subscribe(
    '1',
    `subscription { chatEvents(chatId: "demo") { seq ... on ChatUpdated { chat { latestLeaf { ${PARENTS} } } } } }`,
  );
  const message = 'The operation took longer than 0 ms';
  const timeout = { data: null, errors: [{ message, extensions: { code: 'TIMEOUT' } }] };
  await expect.poll(() => server.followers()).toBe(1);
  for (const title of ['one', 'two']) {
    await server.ask(rename(title));
    expect(await client.take('1')).toMatchObject({ payload: timeout });
  }
  expect(server.unexpectedErrors.size).toBe(0);
});

it('nothing is read for an ended answer, and the next answer is complete', async () => {
  const statements: string[] = [];
  const server = await startListening({ ...WITH_DEMO, onStatement: (sql) => statements.push(sql) });
  const client = await connectWebSocket(server.webSocketUrl);
  const failing = 'bad: activeBranch { messages(after: "none") { totalCount } }';
  const slow = `slow: latestLeaf { ${'parent { '.repeat(3)} chain { id } ${'}'.repeat(3)} }`;
  for (const fields of [`${failing} ${slow}`, `${slow} ${failing}`]) {
    client.subscribe(
      fields,
      `subscription { chatEvents(chatId: "demo") { ... on ChatUpdated { chat { ${fields} } } } }`,
    );
  }
  client.subscribe('whole', `subscription { chatEvents(chatId: "demo") { ... on ChatUpdated { chat { ${slow} } } } }`);
  await expect.poll(() => server.followers()).toBe(3);
  for (const title of ['one', 'two']) {
    statements.length = 0;
    await server.ask(rename(title));
    expect(await client.take('whole')).not.toHaveProperty('payload.errors');
    for (let n = 0; n < 5; n++) await server.ask('{ chats { totalCount } }');
    // Only one can be answered.
    expect(statements.filter((sql) => sql.includes('message_runs r'))).toHaveLength(1);
  }
  expect(server.unexpectedErrors.size).toBe(0);
});

it('a client that disconnects before its turn gets no answer', async () => {
  const { beginAnswer } = Usage.prototype;
  const begin = vi.spyOn(Usage.prototype, 'beginAnswer');
  // Those that are being made take for ever.
  begin.mockImplementation(async function (this: Usage, ...asked) {
    return { ...(await beginAnswer.apply(this, asked)), end: () => {} };
  });
  onTestFinished(() => begin.mockRestore());
  const server = await startListening(WITH_DEMO);
  const client = await connectWebSocket(server.webSocketUrl);
  const follow = (n: number) => `subscription { event${n}: chatEvents(chatId: "demo", after: 0) { seq } }`;
  for (let n = 0; n < 5; n++) client.subscribe(`${n}`, follow(n));
  const turns = () => begin.mock.results.map(({ value }) => value as Promise<unknown>);
  // The first two have an answer each and wait for the second; two others wait for their first, and one for its socket.
  await expect.poll(() => turns().length).toBe(6);
  for (let n = 0; n < 5; n++) client.send({ type: 'complete', id: `${n}` });
  const ended = (await Promise.allSettled(turns())).map(({ status }) => status);
  expect(ended.filter((status) => status === 'fulfilled')).toHaveLength(2);
  await expect.poll(() => server.followers()).toBe(0);
  expect(server.unexpectedErrors.size).toBe(0);
});

it('a subscription that waits keeps nothing that its last answer loaded', async () => {
  const used: WeakRef<object>[] = [];
  const load = Object.getOwnPropertyDescriptor(Loader.prototype, 'load')?.value as Loader<unknown, unknown>['load'];
  Loader.prototype.load = function (key, page) {
    used.push(new WeakRef(this));
    return load.call(this, key, page);
  };
  onTestFinished(() => void (Loader.prototype.load = load));
  const server = await startListening(WITH_DEMO);
  const client = await connectWebSocket(server.webSocketUrl);
  client.subscribe(
    '1',
    'subscription { chatEvents(chatId: "demo") { ... on ChatUpdated { chat { lastMessage { id } } } } }',
  );
  await expect.poll(() => server.followers()).toBe(1);
  await server.ask(rename('one'));
  await client.take('1');
  expect(used.length).toBeGreaterThan(0);
  await expect.poll(() => (collect(), used.filter((loader) => loader.deref() !== undefined)).length).toBe(0);
});
