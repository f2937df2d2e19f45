/** Operations that take too long, on SQLite: another process holds the lock that writers need. */
import { expect, it } from 'vitest';
import { startListening } from '../support/server/listening-server.js';
import { holdDatabase, rawDatabase } from '../support/database/raw-database.js';
import { connectWebSocket } from '../support/server/raw-websocket.js';
import { late, stopClock } from './stopped-clock.js';
import { WITH_DEMO } from '../features/demo/with-demo.js';

const REWIND = 'mutation { rewind(input: { chatId: "demo", at: { message: "demo-answer" } }) { __typename } }';
const CREATE = 'mutation { createChat(input: { id: "new" }) { __typename } }';
const STATE = '{ demo: chat(id: "demo") { version } new: chat(id: "new") { id } }';

const timeout = {
  data: null,
  errors: [
    {
      message: 'The operation took longer than 200 ms: nothing was written',
      extensions: { code: 'TIMEOUT', hasWritten: false },
    },
  ],
};

it('mutations end without having written anything, then and later', async () => {
  stopClock();
  const server = await startListening({ ...WITH_DEMO, limits: { mutationTimeoutMs: 200 } });
  const { ask } = await connectWebSocket(server.webSocketUrl);
  const before = await server.ask(STATE);
  const holder = await holdDatabase(server.databaseUrl);
  const asked = [server.ask(REWIND), server.ask(CREATE), ask('1', REWIND)];
  for (const answer of await late(Promise.all(asked), 200)) expect(answer).toEqual(timeout);
  await holder.release();

  // Those that waited have had their turn when one that came after them has.
  expect(await server.ask('mutation { createChat(input: { id: "last" }) { __typename } }')).toEqual({
    data: { createChat: { __typename: 'CreateChatPayload' } },
  });
  expect(await server.ask(STATE)).toEqual(before);
  expect(server.unexpectedErrors.size).toBe(0);
});

it('a mutation reports that its earlier changes are written', async () => {
  stopClock();
  const server = await startListening({ ...WITH_DEMO, limits: { mutationTimeoutMs: 1000 } });
  const other = await rawDatabase(server.databaseUrl);
  const { ask, subscribe, take } = await connectWebSocket(server.webSocketUrl);
  subscribe('log', 'subscription { chatEvents(chatId: "demo") { seq } }');
  await ask('ready', '{ __typename }');
  const answer = server.ask(`mutation {
    first: updateChat(input: { chatId: "demo", title: "changed" }) { __typename }
    ${Array.from({ length: 25 }, (_, n) => `r${n}: rewind(input: { chatId: "demo", at: { message: "demo-answer" } }) { __typename }`).join(' ')}
  }`);
  await take('log');
  // The first has been committed, and some of the others wait for the lock from now on.
  await other.run('BEGIN IMMEDIATE');
  const { errors } = await late(answer, 1000);
  await other.run('COMMIT');
  expect(errors).toEqual([
    {
      message: 'The operation took longer than 1000 ms: its earlier changes are written',
      extensions: { code: 'TIMEOUT', hasWritten: true },
    },
  ]);
  expect(await server.ask('{ chat(id: "demo") { title } }')).toEqual({ data: { chat: { title: 'changed' } } });
});

it('queries end too, and read nothing more', async () => {
  const server = await startListening({ ...WITH_DEMO, limits: { queryTimeoutMs: 0 } });
  const { ask } = await connectWebSocket(server.webSocketUrl);
  // Each message depends on the previous one.
  const parents = `${'parent { chat { latestLeaf { '.repeat(5)} id ${'} } } '.repeat(5)}`;
  const query = `{ chat(id: "demo") { latestLeaf { ${parents} } } }`;
  const expected = {
    data: null,
    errors: [{ message: 'The operation took longer than 0 ms', extensions: { code: 'TIMEOUT' } }],
  };
  expect(await server.ask(query)).toEqual(expected);
  expect(await ask('1', query)).toEqual(expected);
  expect(server.unexpectedErrors.size).toBe(0);
});

it('only the query that exceeds its time gets a timeout', async () => {
  const server = await startListening({ ...WITH_DEMO, limits: { queryTimeoutMs: 0 } });
  const query = '{ chats(first: 5) { edges { node { id activeBranch { chain(limit: 50) { siblings { id } } } } } } }';
  const answers = await Promise.all(Array.from({ length: 20 }, () => server.ask(query)));
  for (const { errors } of answers) {
    expect(errors).toEqual([{ message: 'The operation took longer than 0 ms', extensions: { code: 'TIMEOUT' } }]);
  }
  expect(server.unexpectedErrors.size).toBe(0);
  expect(await server.ask('mutation { createChat(input: { id: "c" }) { __typename } }')).toHaveProperty(
    'data.createChat',
  );
});
