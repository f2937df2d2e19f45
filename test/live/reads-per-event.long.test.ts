/** An event is read once, and its response is built once, for any number of followers. */
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createServer, type ParleyServer } from '../../src/server.js';

const DOCUMENTS = {
  chatEvents: `subscription ($chatId: ID!, $after: Int) { chatEvents(chatId: $chatId, after: $after) { __typename seq
    ... on BranchHeadMoved { branch { name head { id } } messages { id text parent { id } } } } }`,
  branchHead: `subscription ($chatId: ID!, $after: Int) { branchHead(chatId: $chatId, after: $after) {
    seq branch { name messageCount } head { id siblingCount } appended { id text } } }`,
};

/** Maximum of operations per socket. */
const PER_SOCKET = 100;

let server: ParleyServer;
let url: string;
let statements = 0;

beforeAll(async () => {
  server = await createServer({
    databaseUrl: ':memory:',
    port: 0,
    // A concurrent sweep would be counted, too, and so would the search for titles whose words are not stored.
    sweepIntervalMs: 3_600_000,
    onStatement: (text) => (statements += text.includes('"indexedTitle"') ? 0 : 1),
  });
  url = await server.start();
});

afterAll(() => server.stop());

test.each(Object.entries(DOCUMENTS))('%s: an event is read as often for 250 as for one', async (field, document) => {
  const bySave = await countStatements(field, document, []);
  const one = await countStatements(field, document, [1]);
  const few = await countStatements(field, document, new Array<number>(20).fill(1));
  const many = await countStatements(field, document, new Array<number>(250).fill(1));
  expect(one).toBeGreaterThan(bySave);
  expect({ few, many }).toEqual({ few: one, many: one });
});

test.each(Object.entries(DOCUMENTS))(
  '%s: an event is read once, also for followers that resumed at different events',
  async (field, document) => {
    const one = await countStatements(field, document, [1]);
    const many = await countStatements(
      field,
      document,
      Array.from({ length: 120 }, (_, n) => n % 7),
    );
    expect(many).toBe(one);
  },
);

test('the log is read once for documents without common fields', async () => {
  const document = (n: number) =>
    `subscription Number${n} ($chatId: ID!, $after: Int) { chatEvents(chatId: $chatId, after: $after) { seq } }`;
  const one = await countStatements('chatEvents', document, [1]);
  expect(await countStatements('chatEvents', document, new Array<number>(30).fill(1))).toBe(one);
});

let chats = 0;

/**
 * The statements of three saves and of their notifications.
 * @param document the subscription; a function gives each follower a different one
 * @param missed the number of missed events of each follower
 */
async function countStatements(
  field: string,
  document: string | ((n: number) => string),
  missed: number[],
): Promise<number> {
  const chatId = `chat${chats++}`;
  await mutate('createChat(input: $input) { __typename }', 'CreateChatInput', { id: chatId });
  const save = () =>
    mutate('saveMessages(input: $input) { __typename }', 'SaveMessagesInput', {
      chatId,
      messages: [{ name: 'user', content: { text: 'a question' } }],
    });
  for (let n = 0; n < 8; n++) await save();
  const version = await versionOf(chatId);

  const clients = Array.from({ length: Math.ceil(missed.length / PER_SOCKET) }, () =>
    createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, retryAttempts: 0 }),
  );
  onTestFinished(() => clients.forEach((client) => void client.dispose()));
  /** The newest event of each follower. */
  const seqs = missed.map(() => 0);
  const failures: unknown[] = [];
  for (const [n, events] of missed.entries()) {
    clients[n % clients.length]!.subscribe<Record<string, { seq: number }>>(
      { query: typeof document === 'string' ? document : document(n), variables: { chatId, after: version - events } },
      {
        next: ({ data, errors = [] }) => {
          failures.push(...errors);
          seqs[n] = data?.[field]?.seq ?? 0;
        },
        error: (error) => failures.push(error),
        complete: () => {},
      },
    );
  }
  const allHave = async (seq: number) => {
    await expect.poll(() => seqs.every((each) => each === seq), { interval: 5 }).toBe(true);
    expect(failures).toEqual([]);
  };
  // Followers that missed nothing receive nothing yet: the next save notifies all of them.
  await save();
  await allHave(version + 1);
  // Some followers caught up separately. The next event is read for all at once.
  await save();
  await allHave(version + 2);

  statements = 0;
  for (let n = 3; n <= 5; n++) {
    await save();
    await allHave(version + n);
  }
  return statements;
}

async function mutate(field: string, type: string, input: unknown): Promise<void> {
  await post(`mutation ($input: ${type}!) { ${field} }`, { input });
}

async function versionOf(id: string): Promise<number> {
  const { chat } = await post<{ chat: { version: number } }>('query ($id: ID!) { chat(id: $id) { version } }', { id });
  return chat.version;
}

async function post<Data>(query: string, variables: unknown): Promise<Data> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}
