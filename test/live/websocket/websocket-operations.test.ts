/** Queries and mutations return the same over WebSocket and HTTP, and an error affects one operation only. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readGraphiqlTabs } from '../../../src/features/pages/graphiql.js';
import { RequestObserver } from '../../../src/features/telemetry/request-observer.js';
import type { OperationEntry } from '../../../src/operation-entry.js';
import { startListening, type ListeningServer } from '../../support/server/listening-server.js';
import { connectWebSocket, type Answered } from '../../support/server/raw-websocket.js';
import { rawDatabase } from '../../support/database/raw-database.js';

const VIEWER = '{ viewer { userId } }';
const VIEWER_ANSWER = { data: { viewer: { userId: 'local' } } };
const CHAT = 'query Chat($id: ID!) { chat(id: $id) { id } }';

interface Request {
  query: string;
  variables?: unknown;
  operationName?: string;
}

const overHttp = async ({ post }: ListeningServer, request: Request): Promise<Answered> =>
  (await (await post(JSON.stringify(request))).json()) as Answered;

/** In this protocol, an error before execution is not a result. */
function asOverHttp({ refused, ...answer }: Answered): Answered {
  return refused === undefined ? answer : { errors: refused };
}

describe('an operation on a socket', () => {
  it('is answered as over HTTP', async () => {
    const [server, other] = [await startListening({ demo: true }), await startListening({ demo: true })];
    const { ask } = await connectWebSocket(server.webSocketUrl);
    const question = '{ chat(id: "demo") { title version messageCount activeBranch { name chain { id text data } } } }';
    const tabs = readGraphiqlTabs().filter(({ query }) => !/^subscription/m.test(query));
    const requests: Request[] = [
      ...tabs.map(({ query, variables = '{}' }) => ({ query, variables: JSON.parse(variables) as unknown })),
      { query: question },
      { query: `query A { chats { totalCount } } query B ${VIEWER}`, operationName: 'B' },
      // An error next to data, and an error as a value.
      { query: '{ viewer { userId } chats(first: 5000) { totalCount } }' },
      { query: 'mutation { deleteChat(input: { chatId: "none" }) { __typename ... on Error { code message } } }' },
    ];
    for (const [n, request] of requests.entries()) {
      const answer = await ask(String(n), request.query, request.variables, request.operationName);
      expect(withoutIds(answer), request.query).toEqual(withoutIds(await overHttp(other, request)));
    }
  });

  it('that is invalid is refused as over HTTP, and the socket stays open', async () => {
    // The other server has not seen these documents before.
    const [server, other] = [await startListening({ demo: true }), await startListening({ demo: true })];
    const { ask } = await connectWebSocket(server.webSocketUrl);
    for (const [what, [code, request]] of Object.entries(WRONG)) {
      const answer = asOverHttp(await ask(what, request.query, request.variables, request.operationName));
      expect(answer, what).toEqual(await overHttp(other, request));
      expect(answer, what).toEqual(await overHttp(server, request));
      expect([...new Set(answer.errors?.map(({ extensions }) => extensions?.['code']))], what).toEqual([code]);
    }
    expect(await ask('right', VIEWER)).toEqual(VIEWER_ANSWER);
    expect(server.unexpectedErrors.size).toBe(0);
  });

  it('without valid GraphQL has its HTTP status over both transports', async () => {
    const server = await startListening();
    const { ask } = await connectWebSocket(server.webSocketUrl);
    for (const query of ['{ viewer {', `${VIEWER} #${'x'.repeat(65_536)}`]) {
      await ask('1', query);
      const { status } = await server.post(JSON.stringify({ query }), { accept: 'application/graphql-response+json' });
      expect(status).toBe(400);
    }
  });

  it('that fails unexpectedly returns an id and no details', async () => {
    const server = await startListening({ demo: true });
    const { ask } = await connectWebSocket(server.webSocketUrl);
    const database = await rawDatabase(server.databaseUrl);
    await database.run(`UPDATE chats SET metadata = '{"secret'`);

    const { data, errors, refused } = await ask('1', '{ chat(id: "demo") { id metadata } }');
    expect({ data, refused }).toEqual({ data: { chat: null } });
    const [id] = server.unexpectedErrors.keys();
    expect(errors).toEqual([
      {
        message: 'Unexpected error.',
        locations: [{ line: 1, column: 25 }],
        path: ['chat', 'metadata'],
        extensions: { code: 'INTERNAL_SERVER_ERROR', id },
      },
    ]);
    expect(await ask('2', VIEWER)).toEqual(VIEWER_ANSWER);
  });

  it('that waits for its client to read ends when the client disconnects, even before it has begun', async () => {
    const entries: OperationEntry[] = [];
    const operation = vi.spyOn(RequestObserver.prototype, 'operation');
    onTestFinished(() => operation.mockRestore());
    const server = await startListening({
      demo: true,
      socketBufferBytes: 1,
      logOperation: (entry) => entries.push(entry),
    });
    const { ask, subscribe, socket } = await connectWebSocket(server.webSocketUrl);
    const save =
      'mutation ($text: String!) { saveMessages(input: { chatId: "demo", messages: [{ name: "user", content: { text: $text } }] }) { __typename } }';
    for (let n = 0; n < 20; n++) await ask(`save ${n}`, save, { text: 'x'.repeat(500_000) });
    socket.pause();
    subscribe('read', '{ chat(id: "demo") { activeBranch { chain { data } } } }');
    await expect.poll(() => entries.length).toBe(21);
    subscribe('late', 'mutation Late { deleteChat(input: { chatId: "demo" }) { __typename } }');
    await expect.poll(() => operation.mock.calls.length).toBe(22);
    socket.terminate();
    const late = { name: 'Late', code: 'CLIENT_GONE', hasRun: false };
    await expect.poll(() => entries.slice(20)).toMatchObject([{ type: 'query', code: 'OK' }, late]);
    expect(await server.ask('{ chat(id: "demo") { id } }')).toEqual({ data: { chat: { id: 'demo' } } });
  });

  it('can run with 99 others: the next is refused until one of them ends', async () => {
    const { webSocketUrl, followers } = await startListening({ demo: true });
    const { send, subscribe, take, ask } = await connectWebSocket(webSocketUrl);
    for (let n = 1; n <= 100; n++) subscribe(`follow ${n}`, 'subscription { branchHead(chatId: "demo") { seq } }');
    for (let n = 1; n <= 100; n++) expect((await take(`follow ${n}`)).type).toBe('next');

    const refused = [
      {
        message: 'No more than 100 operations run on a socket at once',
        extensions: { code: 'TOO_MANY_OPERATIONS' },
      },
    ];
    expect(await ask('one too many', VIEWER)).toEqual({ refused });
    // A refused operation occupies no slot.
    expect(await ask('one too many', VIEWER)).toEqual({ refused });
    expect(followers()).toBe(100);

    send({ type: 'complete', id: 'follow 7' });
    expect(
      await ask(
        'one more',
        'mutation { rewind(input: { chatId: "demo", at: { message: "demo-answer" } }) { __typename } }',
      ),
    ).toEqual({
      data: { rewind: { __typename: 'BranchPayload' } },
    });
    for (let n = 1; n <= 100; n++) if (n !== 7) expect((await take(`follow ${n}`)).type).toBe('next');
  });
});

/** Invalid operations, each with its error code. */
const WRONG: Record<string, [code: string, request: Request]> = {
  'a syntax error': ['GRAPHQL_PARSE_FAILED', { query: '{ viewer {' }],
  'an empty document': ['GRAPHQL_PARSE_FAILED', { query: '' }],
  'a comment alone': ['GRAPHQL_PARSE_FAILED', { query: '# nothing' }],
  'more than 65,536 characters': ['GRAPHQL_PARSE_FAILED', { query: `${VIEWER} #${'x'.repeat(65_536)}` }],
  'more than 5,000 tokens': ['GRAPHQL_PARSE_FAILED', { query: `{ ${'viewer { userId } '.repeat(1_250)} }` }],
  '301 levels': ['GRAPHQL_PARSE_FAILED', { query: `${'{ a '.repeat(301)}${'}'.repeat(301)}` }],
  '100,000 levels': ['GRAPHQL_PARSE_FAILED', { query: '{a'.repeat(30_000) }],
  'an unknown field': ['GRAPHQL_VALIDATION_FAILED', { query: '{ nothing { more } }' }],
  'an unknown argument': ['GRAPHQL_VALIDATION_FAILED', { query: '{ chat(id: "demo", a: 1) { id } }' }],
  'fragments in a circle': [
    'GRAPHQL_VALIDATION_FAILED',
    { query: '{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...A }' },
  ],
  'two fields in a subscription': [
    'GRAPHQL_VALIDATION_FAILED',
    { query: 'subscription { branchHead(chatId: "demo") { seq } chatEvents(chatId: "demo") { seq } }' },
  ],
  'an unknown operation name': ['OPERATION_RESOLUTION_FAILURE', { query: `query A ${VIEWER}`, operationName: 'B' }],
  'two operations and no name': ['OPERATION_RESOLUTION_FAILURE', { query: `query A ${VIEWER} query B ${VIEWER}` }],
  'a variable that is missing': ['BAD_USER_INPUT', { query: CHAT }],
  'a variable of a wrong type': ['BAD_USER_INPUT', { query: CHAT, variables: { id: ['demo'] } }],
  "a subscription's variable of a wrong type": [
    'BAD_USER_INPUT',
    {
      query: 'subscription ($after: Int) { chatEvents(chatId: "demo", after: $after) { seq } }',
      variables: { after: 'x' },
    },
  ],
};

/** Replaces generated ids and times, which differ between servers. */
function withoutIds(answer: Answered): unknown {
  const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const time = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/g;
  return JSON.parse(JSON.stringify(answer).replace(id, 'an id').replace(time, 'a time'));
}
