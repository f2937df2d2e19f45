/**
 * Isolation of users. Every field of the schema that takes an id gets ids of another user: the response and the number of
 * statements must equal those for ids that do not exist.
 */
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { encodeNodeId } from '../../../src/graphql/node/node-id.js';
import { schema } from '../../../src/server/schema.js';
import { isInMemory } from '../../support/database/database-kind.js';
import {
  ask,
  belongingsOf,
  WEBHOOK,
  calls,
  documentFor,
  isDone,
  thenFor,
  UNLIMITED,
  type Belongings,
} from '../../support/chats/belongings.js';
import { documentOf, everything, fieldsOf, idPaths, type Field } from '../../support/chats/id-arguments.js';
import { openStream } from '../../support/server/event-stream.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { auditFile, isRecorded, withRequestId } from '../../features/audit/audited-server.js';
import { rawDatabase } from '../../support/database/raw-database.js';

/** Ids that clients choose: the response reveals only whether the id is taken. */
const CHOSEN = new Map<string, (keyof Belongings)[]>([
  ['Mutation.createChat input.id', ['chatId', 'deletedChatId']],
  ['Mutation.upsertChat input.id', ['chatId', 'deletedChatId']],
  ['Mutation.forkChat input.id', ['chatId', 'deletedChatId']],
  ['Mutation.saveMessages input.messages.0.id', ['messageId']],
  ['Mutation.editMessage input.id', ['messageId']],
  ['Mutation.startDraft input.id', ['messageId', 'draftId']],
]);

/** Fields that are refused to users for any id. */
const ADMINS_ONLY = [
  ...['Query.users', 'Query.webhookDeliveries', 'Mutation.replayWebhookDeliveries'],
  ...['Query.legalHolds', 'Mutation.setLegalHold', 'Mutation.liftLegalHold'],
  'Mutation.setStorageQuota',
];

/** Any user may be added, whether the user exists or not. */
const ANY_USER = 'Mutation.addMember input.userId';

const idFields = fieldsOf(schema).filter((field) => idPaths(field).length > 0);
const paths = idFields.flatMap((field) =>
  idPaths(field).map((path) => ({ field, path, title: `${field.name} ${path}` })),
);

function replaced(variables: object, path: string, value: string): object {
  const copy = structuredClone(variables);
  const steps = path.split('.');
  const last = steps.pop()!;
  const parent = steps.reduce(
    (at, step) => (at[step] ??= {}) as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  parent[last] = value;
  // An object is given by its name or by its id.
  if (last === 'branchId' || last === 'checkpointId') for (const name of ['name', 'branch']) delete parent[name];
  return copy;
}

test('every field that takes an id is tried', () => {
  expect(Object.keys(calls).sort()).toEqual(idFields.map(({ name }) => name).sort());
});

/** Ids of the same form that do not exist. */
function absentIds(own: Belongings): Belongings {
  const twin = (id: string) =>
    id.replaceAll('alice', 'nobod').replace(/[0-9a-f]$/, (sign) => (sign === '7' ? '8' : '7'));
  return Object.fromEntries(Object.entries(own).map(([key, id]) => [key, twin(id as string)])) as never;
}

/** The arguments of a field: plain ids, and global ids of each type. */
function namesOf(field: Field, id: string): string[] {
  if (field.name !== 'Query.node') return [id];
  return ['Chat', 'Message', 'Branch', 'Checkpoint'].map((type) => encodeNodeId(type, id));
}

test("another user's id is unknown in every argument", async () => {
  // The server checks for drafts without a writer every minute, and the test would count those statements.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { auditLog, lines } = auditFile();
  const parley = await openParley({ limits: UNLIMITED, auditLog });
  const alice = await belongingsOf(parley, 'alice');
  const absentOwner = absentIds(alice);
  const wholeChat = `query ($id: ID!) { chat(id: $id) ${everything(schema, schema.getType('Chat')!, 2)} }`;
  const before = await ask(parley, 'alice', wholeChat, { id: alice.chatId });
  expect(before.text).toContain('alice title');

  const leaks: unknown[] = [];
  const called: { name: string; requestId: string; chatId: string }[] = [];
  for (const { field, path, title } of paths) {
    const mallory = await belongingsOf(parley, 'mallory');
    const { document, variables } = documentFor(field, mallory);
    const answerTo = async (id: string) => {
      const { text, statements } = await ask(parley, 'mallory', document, replaced(variables, path, id));
      return { text: text.replaceAll(id, '<id>'), statements };
    };
    for (const kind of Object.keys(alice) as (keyof Belongings)[]) {
      const absentNames = namesOf(field, absentOwner[kind]);
      for (const [n, name] of namesOf(field, alice[kind]).entries()) {
        // Taken ids are refused, and free ids have an effect.
        if (title === ANY_USER || (CHOSEN.has(title) && !CHOSEN.get(title)!.includes(kind))) continue;
        const foreign = await answerTo(name);
        const absent = CHOSEN.has(title) ? foreign : await answerTo(absentNames[n]!);
        if (CHOSEN.has(title)) expect(foreign.text).toContain('AlreadyExistsError');
        const isSame = foreign.text === absent.text && foreign.statements === absent.statements;
        if (!isSame || foreign.text.includes('alice')) leaks.push({ title, kind, name, foreign, absent });
      }
    }
    // With its own id the call succeeds: only the id was refused.
    const requestId = `call-${called.length}`;
    called.push({ name: field.name, requestId, chatId: mallory.chatId });
    const own = await ask(
      withRequestId(parley, requestId),
      'mallory',
      document,
      variables,
      thenFor(parley, field, mallory),
    );
    expect([title, own.text, isDone(own)]).toEqual([title, own.text, !ADMINS_ONLY.includes(field.name)]);
  }
  expect(leaks).toEqual([]);
  const unrecorded = () => {
    const written = lines();
    const linesOf = (id: string) => written.filter(({ requestId }) => requestId === id);
    return called.filter(({ name, requestId, chatId }) => !isRecorded(name, chatId, linesOf(requestId)));
  };
  await expect.poll(unrecorded).toEqual([]);
  expect((await ask(parley, 'alice', wholeChat, { id: alice.chatId })).text).toBe(before.text);
});

test('an admin can use any id in every argument', async () => {
  const parley = await openParley({ limits: UNLIMITED, webhooks: [WEBHOOK], storageQuotaBytes: 1e9 });
  // Tokens have no admin rights, and belong to their user only. Only holds can be lifted.
  const others = ['Mutation.createAccessToken', 'Mutation.revokeAccessToken', 'Mutation.liftLegalHold'];
  for (const field of idFields.filter(({ name }) => !others.includes(name))) {
    const bob = await belongingsOf(parley, 'bob');
    const { document, variables } = documentFor(field, bob);
    const answer = await ask(parley, 'local', document, variables, thenFor(parley, field, bob));
    expect([field.name, answer.text, isDone(answer)]).toEqual([field.name, answer.text, true]);
  }
});

describe('lists and walks', () => {
  const connections = fieldsOf(schema).filter(({ field }) =>
    field.args.some(({ name }) => name === 'after' && field.type.toString().endsWith('Connection!')),
  );
  const lists: Record<string, string> = {
    'Query.chats': 'chats(first: $first, after: $after) { edges { cursor node { id } } }',
    'Query.deletedChats': 'deletedChats(first: $first, after: $after) { edges { cursor node { id } } }',
    'Query.webhookDeliveries':
      'webhookDeliveries(first: $first, after: $after) { edges { cursor node { id chatId } } }',
    'Query.legalHolds': 'legalHolds(first: $first, after: $after) { edges { cursor node { chatId userId reason } } }',
    'Query.users': 'users(first: $first, after: $after) { edges { cursor node { id messageCount } } }',
    'Query.monthlyUsage': 'monthlyUsage(first: $first, after: $after) { edges { cursor node { userId } } }',
    'Query.search': 'search(query: "asks", first: $first, after: $after) { edges { cursor node { message { id } } } }',
    'Chat.branches':
      'chat(id: $chatId) { list: branches(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Chat.messages':
      'chat(id: $chatId) { list: messages(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Chat.checkpoints':
      'chat(id: $chatId) { list: checkpoints(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Chat.events': 'chat(id: $chatId) { list: events(first: $first, after: $after) { edges { cursor node { seq } } } }',
    'Chat.members':
      'chat(id: $chatId) { list: members(first: $first, after: $after) { edges { cursor node { userId } } } }',
    'Chat.search':
      'chat(id: $chatId) { list: search(query: "asks", first: $first, after: $after) { edges { cursor node { message { id } } } } }',
    'Message.children':
      'message(id: $messageId) { children(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Message.drawnOnBy':
      'message(id: $messageId) { drawnOnBy(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Message.path': 'message(id: $messageId) { path(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Comparison.ahead':
      'chat(id: $chatId) { compare(base: { branch: "main-v2" }, head: { branch: "main" }) { ahead(first: $first, after: $after) { edges { cursor node { id } } } } }',
    'Comparison.behind':
      'chat(id: $chatId) { compare(base: { branch: "main" }, head: { branch: "main-v2" }) { behind(first: $first, after: $after) { edges { cursor node { id } } } } }',
    'Chat.drafts': 'chat(id: $chatId) { list: drafts(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Viewer.accessTokens': 'viewer { accessTokens(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Chat.shares': 'chat(id: $chatId) { list: shares(first: $first, after: $after) { edges { cursor node { id } } } }',
    'SharedPath.messages':
      'shared(token: $shareToken) { messages(first: $first, after: $after) { edges { cursor node { text } } } }',
    'Branch.messages':
      'chat(id: $chatId) { activeBranch { messages(first: $first, after: $after) { edges { cursor node { id } } } } }',
  };

  /** Their cursors are positions among all chats; others belong to one list and are refused elsewhere. */
  const AMONG_ALL = ['Query.chats', 'Query.monthlyUsage', 'Query.deletedChats', 'Query.search', 'Chat.search'];

  test('with cursors are all covered', () => {
    expect(Object.keys(lists).sort()).toEqual(connections.map(({ name }) => name).sort());
  });

  it('show other users nothing for any cursor', async () => {
    const parley = await openParley({ limits: UNLIMITED, webhooks: [WEBHOOK] });
    const [alice, mallory] = [await belongingsOf(parley, 'alice'), await belongingsOf(parley, 'mallory')];
    const hold = 'mutation { setLegalHold(input: { userId: "alice", reason: "case" }) { __typename } }';
    await ask(parley, 'local', hold, {});
    for (const [name, list] of Object.entries(lists)) {
      const types = { chatId: 'ID!', messageId: 'ID!', shareToken: 'String!' };
      const ids = Object.entries(types).flatMap(([id, type]) => (list.includes(`$${id}`) ? [`$${id}: ${type}, `] : []));
      const document = `query (${ids.join('')}$first: Int, $after: String) { ${list} }`;
      const isAdminsOnly = ADMINS_ONLY.includes(name);
      const { text } = await ask(parley, isAdminsOnly ? 'local' : 'alice', document, { ...alice, first: 1 });
      const [, cursor] = /"cursor":"([^"]+)"/.exec(text) ?? [];
      const answer = await ask(parley, 'mallory', document, { ...mallory, first: 1000, after: cursor });
      const outcome = { name, hasCursor: cursor !== undefined, isRefused: answer.isRefused };
      expect(outcome).toEqual({ name, hasCursor: true, isRefused: !AMONG_ALL.includes(name) });
      expect(answer.text.includes('"reason":"CURSOR_ELSEWHERE"')).toBe(answer.isRefused && !isAdminsOnly);
      expect(answer.text).not.toContain('alice');
    }
  });

  it('from every reachable object', async () => {
    const parley = await openParley({ limits: UNLIMITED });
    for (const userId of ['alice', 'mallory']) await belongingsOf(parley, userId);
    const { text } = await ask(
      parley,
      'mallory',
      `{ chats ${everything(schema, schema.getType('ChatConnection')!, 4)} }`,
      {},
    );
    expect(text).toContain('mallory asks');
    expect(text).not.toContain('alice');
    const all = await ask(parley, 'local', '{ chats { edges { node { userId } } } }', {});
    expect(all.text).toContain('alice');
  });
});

// A database in memory is not visible to other connections.
if (!isInMemory) {
  test('a subscription ends when the chat is transferred', async () => {
    const parley = await openParley();
    const alice = await belongingsOf(parley, 'alice');
    const asAlice: Pick<Parley, 'post'> = {
      post: (body, headers) => parley.post(body, { ...headers, 'x-user-id': 'alice' }),
    };
    const variables = { chatId: alice.chatId };
    const streams = [
      await openStream(asAlice, 'subscription ($chatId: ID!) { branchHead(chatId: $chatId) { seq } }', variables),
      await openStream(
        asAlice,
        'subscription ($chatId: ID!) { chatEvents(chatId: $chatId, after: 2) { seq } }',
        variables,
      ),
    ];
    const drafts = [
      await openStream(asAlice, 'subscription ($chatId: ID!) { drafts(chatId: $chatId) { draftId } }', variables),
      await openStream(
        asAlice,
        `subscription ($chatId: ID!, $id: ID!) { draft(chatId: $chatId, id: $id) { ... on DraftChunks { chunks } } }`,
        { ...variables, id: alice.draftId },
      ),
    ];
    for (const stream of [...streams, ...drafts]) await stream.take(1);
    const database = await rawDatabase(parley.databaseUrl);
    await database.run(`UPDATE chats SET "userId" = 'bob'`);
    const save = documentOf(
      schema,
      idFields.find(({ name }) => name === 'Mutation.saveMessages')!,
      0,
    );
    const input = { chatId: alice.chatId, messages: [{ id: 'bobs', name: 'user', content: { text: 'secret' } }] };
    expect(isDone(await ask(parley, 'bob', save, { input }))).toBe(true);
    for (const stream of streams) await expect(stream.rest()).rejects.toThrow();
    await ask(
      parley,
      'bob',
      `mutation ($append: AppendToDraftInput!, $start: StartDraftInput!) {
        appendToDraft(input: $append) { __typename } startDraft(input: $start) { __typename }
      }`,
      {
        append: { chatId: alice.chatId, id: alice.draftId, offset: 1, chunks: ['secret'] },
        start: { chatId: alice.chatId, id: 'secret' },
      },
    );
    for (const stream of drafts) await expect(stream.rest()).rejects.toThrow();
  });
}
