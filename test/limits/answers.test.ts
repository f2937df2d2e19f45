/** Each answer of a subscription has the bounds of a query. */
import { expect, it } from 'vitest';
import { startListening } from '../support/listening-server.js';
import { connectWebSocket } from '../support/raw-websocket.js';

/** Each of its messages needs what the one before it has read. */
const PARENTS = `${'parent { chat { latestLeaf { '.repeat(5)} id ${'} } } '.repeat(5)}`;
const rename = (title: string) => `mutation { updateChat(input: { id: "demo", title: "${title}" }) { __typename } }`;

it('one that takes too long is an answer with that error, and the next one is made', async () => {
  const server = await startListening({ demo: true, limits: { queryTimeoutMs: 0 } });
  const client = await connectWebSocket(server.webSocketUrl);
  client.subscribe(
    '1',
    `subscription { chatEvents(chatId: "demo") { seq ... on ChatUpdated { chat { latestLeaf { ${PARENTS} } } } } }`,
  );
  const message = 'The operation took longer than 0 ms';
  const timeout = { data: null, errors: [{ message, extensions: { code: 'TIMEOUT' } }] };
  await client.ask('ready', '{ __typename }');
  for (const title of ['one', 'two']) {
    await server.ask(rename(title));
    expect(await client.take('1')).toMatchObject({ payload: timeout });
  }
  expect(server.unexpectedErrors.size).toBe(0);
});
