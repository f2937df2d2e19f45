/** Answers of subscriptions count for the rate of their user, like operations. */
import { beforeEach, expect, it } from 'vitest';
import type { Limits } from '../../../src/limits/limits.js';
import { stopClock } from '../../limits/stopped-clock.js';
import { startListening } from '../../support/server/listening-server.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { AUTH, bearer } from '../../support/server/tokens.js';

const SAVED = 100;
const FOLLOW = `subscription ($after: Int) {
  branchHead(chatId: "c", after: $after) { seq appended { ${Array.from({ length: 40 }, (_, n) => `a${n}: parent { id }`).join(' ')} } }
}`;

interface Update {
  data: { branchHead: { seq: number; appended: object[] } };
}

async function start(limits: Partial<Limits>, databaseUrl?: string) {
  const server = await startListening({ auth: AUTH, limits, ...(databaseUrl !== undefined && { databaseUrl }) });
  const headers = await bearer('alice');
  const ask = (query: string, variables: object = {}) => server.ask(query, variables, headers);
  return { ...server, ask, connect: () => connectWebSocket(server.webSocketUrl, { headers }) };
}

const save = {
  query: 'mutation ($input: SaveMessagesInput!) { saveMessages(input: $input) { __typename } }',
  variables: {
    input: { chatId: 'c', messages: Array.from({ length: SAVED }, () => ({ name: 'user', content: { text: 'x' } })) },
  },
};

beforeEach(stopClock);

it('a follower whose answers cost more than the rate is closed, and continues after its last answer', async () => {
  const server = await start({ rateLimitPerUser: 60 });
  await server.ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  const follower = await server.connect();
  follower.subscribe('1', FOLLOW);
  const next = async ({ take }: typeof follower) => (await take('1')).payload as Update;
  let { seq } = (await next(follower)).data.branchHead;

  let answers = 0;
  let saves = 0;
  for (; ; answers++) {
    expect(await server.ask(save.query, save.variables)).not.toHaveProperty('errors');
    saves++;
    const update = await next(follower).catch(() => null);
    if (update === null) break;
    expect(update.data.branchHead.appended).toHaveLength(SAVED);
    ({ seq } = update.data.branchHead);
  }
  expect(answers).toBeGreaterThan(0);
  const { code, reason } = await follower.closed;
  expect({ code, reason }).toEqual({ code: 4413, reason: 'Too slow: continue with after, or start over' });
  // The rate is that of the user: it holds for other operations, too.
  expect((await server.ask('{ viewer { userId } }')).errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);

  const other = await start({ rateLimitPerUser: 0 }, server.databaseUrl);
  const continued = await other.connect();
  continued.subscribe('1', FOLLOW, { after: seq });
  for (; answers < saves; answers++) expect((await next(continued)).data.branchHead.appended).toHaveLength(SAVED);
});

it('answers that are refused because of their size count, too', async () => {
  const server = await start({ rateLimitPerUser: 60, maxContentBytes: 3 * 1024 ** 2 });
  await server.ask('mutation { createChat(input: { id: "c" }) { __typename } }');
  const follower = await server.connect();
  follower.subscribe('1', FOLLOW);
  await follower.take('1');
  for (;;) {
    expect(await server.ask(save.query, save.variables)).not.toHaveProperty('errors');
    const answer = await follower.take('1').catch(() => null);
    if (answer === null) break;
    expect(answer.payload).toMatchObject({ errors: [{ extensions: { code: 'TOO_LARGE' } }] });
  }
  expect((await follower.closed).code).toBe(4413);
});
