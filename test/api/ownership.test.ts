/**
 * Nobody learns what belongs to others. The matrix is made of the schema: every field that takes an id is tried with ids of
 * somebody else's, and has to answer, word for word and statement for statement, what it answers to ids of nothing.
 */
import { describe, expect, it, test } from 'vitest';
import { encodeNodeId } from '../../src/graphql/node-id.js';
import { schema } from '../../src/graphql/schema.js';
import { isInMemory } from '../support/database-kind.js';
import { documentOf, everything, fieldsOf, idPaths, type Field } from '../support/doors.js';
import { openStream } from '../support/event-stream.js';
import { openParley, type Parley } from '../support/parley.js';
import { rawDatabase } from '../support/raw-database.js';

/** What a user has, by its ids. All of them, and every text, have the user's name in them. */
interface Belongings {
  userId: string;
  chatId: string;
  otherMessageId: string;
  messageId: string;
  branchId: string;
  checkpointId: string;
  draftId: string;
}

interface Answer {
  text: string;
  data: Record<string, unknown> | null;
  isRefused: boolean;
  statements: number;
}

/** Everything is asked for at once here. */
const UNLIMITED = {
  maxTokens: 100_000,
  maxDocumentLength: 10_000_000,
  maxAliases: 10_000,
  maxRootFields: 1_000,
  maxSelections: 10_000,
  costLimit: 1e12,
};

/** Asks as a user; the first answer of a subscription, which may be to something that is done then. */
async function ask(
  parley: Parley,
  userId: string,
  query: string,
  variables: unknown,
  then: () => Promise<unknown> = async () => {},
): Promise<Answer> {
  parley.takeStatements();
  const accept = query.startsWith('subscription') ? 'text/event-stream' : 'application/json';
  const response = await parley.post(JSON.stringify({ query, variables }), { 'x-user-id': userId, accept });
  await then();
  const text = accept === 'application/json' ? await response.text() : await firstEvent(response);
  const { data = null, errors } = JSON.parse(text) as { data?: Answer['data']; errors?: object[] };
  return { text, data, isRefused: errors !== undefined, statements: parley.takeStatements().length };
}

async function firstEvent({ body }: Response): Promise<string> {
  const reader = body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (!/^data: .+$/m.test(text)) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return /^data: (.+)$/m.exec(text)![1]!;
}

let chats = 0;

/** A chat with a fork, a checkpoint and a draft. */
async function belongingsOf(parley: Parley, userId: string): Promise<Belongings> {
  const chatId = `${userId}-chat-${chats++}`;
  const says = (id: string, text: string) => ({
    id: `${chatId}-${id}`,
    name: 'user',
    content: { text: `${userId} ${text}` },
  });
  const input = { id: chatId, title: `${userId} title`, metadata: { of: userId } };
  const made = await ask(
    parley,
    userId,
    `mutation ($chat: CreateChatInput!, $save: SaveMessagesInput!, $edit: EditMessageInput!, $mark: CreateCheckpointInput!, $draft: StartDraftInput!, $append: AppendToDraftInput!) {
      createChat(input: $chat) { __typename }
      saveMessages(input: $save) { __typename }
      editMessage(input: $edit) { ... on SaveMessagesPayload { branch { id } } }
      createCheckpoint(input: $mark) { ... on CheckpointPayload { checkpoint { id } } }
      startDraft(input: $draft) { __typename }
      appendToDraft(input: $append) { __typename }
    }`,
    {
      chat: input,
      save: { chatId, messages: [says('1', 'asks'), says('2', 'insists')] },
      edit: { chatId, messageId: `${chatId}-2`, content: { text: `${userId} thinks again` } },
      mark: { chatId, name: `${userId} mark`, messageId: `${chatId}-1` },
      draft: { chatId, id: `${chatId}-draft`, name: `${userId} model`, metadata: { of: userId } },
      append: { chatId, id: `${chatId}-draft`, offset: 0, chunks: [`${userId} begins`] },
    },
  );
  if (made.isRefused) throw new Error(made.text);
  const { data } = made as unknown as {
    data: { editMessage: { branch: { id: string } }; createCheckpoint: { checkpoint: { id: string } } };
  };
  return {
    userId,
    chatId,
    messageId: `${chatId}-1`,
    otherMessageId: `${chatId}-2`,
    branchId: data.editMessage.branch.id,
    checkpointId: data.createCheckpoint.checkpoint.id,
    draftId: `${chatId}-draft`,
  };
}

/**
 * A call of each field that takes ids, which somebody can make with what they have; those of root fields name their
 * variables, others bring a document too. A new field needs one here: what is not called cannot be seen to be safe.
 */
const calls: Record<string, (own: Belongings) => { variables: object; document?: string; then?: string }> = {
  'Query.chat': ({ chatId }) => ({ variables: { id: chatId } }),
  'Query.chats': ({ userId }) => ({ variables: { filter: { userId } } }),
  'Query.message': ({ messageId }) => ({ variables: { id: messageId } }),
  'Query.node': ({ messageId }) => ({ variables: { nodeId: encodeNodeId('Message', messageId) } }),
  'Query.search': ({ chatId }) => ({ variables: { query: 'insists', filter: { chatId } } }),
  'Chat.message': ({ chatId, messageId }) => ({
    variables: { chatId, id: messageId },
    document: 'query ($chatId: ID!, $id: ID!) { chat(id: $chatId) { message(id: $id) { id data } } }',
  }),
  'Message.path': ({ messageId, otherMessageId }) => ({
    variables: { messageId: otherMessageId, around: messageId },
    document: `query ($messageId: ID!, $around: ID!) {
      message(id: $messageId) { path(around: $around) { edges { cursor node { id data } } } }
    }`,
  }),
  'Branch.messages': ({ chatId, messageId }) => ({
    variables: { chatId, around: messageId },
    document: `query ($chatId: ID!, $around: ID!) {
      chat(id: $chatId) { activeBranch { messages(around: $around) { edges { cursor node { id data } } } } }
    }`,
  }),
  'Chat.events': ({ chatId, userId }) => ({
    variables: { chatId, filter: { actorId: userId } },
    document: `query ($chatId: ID!, $filter: EventFilter) {
       chat(id: $chatId) { events(filter: $filter) { edges { node { seq actorId } } } }
    }`,
  }),
  'Branch.context': ({ chatId, messageId }) => ({
    variables: { chatId, input: { pending: [{ id: messageId, name: 'user', content: { text: 'more' } }] } },
    document: `query ($chatId: ID!, $input: ContextInput!) {
      chat(id: $chatId) { activeBranch { context(input: $input) { systemPrompt messages } } }
    }`,
  }),
  'Mutation.btw': ({ chatId, messageId }) => ({ variables: { input: { chatId, messageId, branchName: 'aside' } } }),
  'Mutation.createChat': ({ userId, chatId }) => ({ variables: { input: { id: `${chatId}-new`, userId } } }),
  'Mutation.upsertChat': ({ userId, chatId }) => ({ variables: { input: { id: chatId, userId } } }),
  'Mutation.updateChat': ({ userId, chatId }) => ({ variables: { input: { id: chatId, title: `${userId} renamed` } } }),
  'Mutation.transferChat': ({ userId, chatId }) => ({ variables: { input: { id: chatId, userId } } }),
  'Mutation.renameBranch': ({ userId, chatId }) => ({
    variables: { input: { chatId, name: 'main', newName: `${userId} trunk` } },
  }),
  'Mutation.deleteBranch': ({ chatId }) => ({ variables: { input: { chatId, name: 'main' } } }),
  'Mutation.deleteChat': ({ chatId }) => ({ variables: { input: { id: chatId } } }),
  'Mutation.saveMessages': ({ userId, chatId, otherMessageId }) => ({
    variables: {
      input: {
        chatId,
        branch: 'main',
        expectedHeadId: otherMessageId,
        onConflict: 'REJECT',
        messages: [{ id: `${chatId}-3`, name: 'user', content: { text: `${userId} goes on` } }],
      },
    },
  }),
  'Mutation.editMessage': ({ userId, chatId, messageId }) => ({
    variables: { input: { chatId, messageId, content: { text: `${userId} thinks twice` } } },
  }),
  'Mutation.rewind': ({ chatId, messageId }) => ({ variables: { input: { chatId, messageId } } }),
  'Mutation.switchToSibling': ({ chatId, otherMessageId: messageId }) => ({
    variables: { input: { chatId, messageId } },
  }),
  'Mutation.switchBranch': ({ chatId }) => ({ variables: { input: { chatId, name: 'main' } } }),
  'Mutation.createCheckpoint': ({ userId, chatId, messageId }) => ({
    variables: { input: { chatId, messageId, name: `${userId} second` } },
  }),
  'Mutation.restoreCheckpoint': ({ userId, chatId }) => ({ variables: { input: { chatId, name: `${userId} mark` } } }),
  'Mutation.deleteCheckpoint': ({ userId, chatId }) => ({ variables: { input: { chatId, name: `${userId} mark` } } }),
  'Mutation.startDraft': ({ chatId }) => ({ variables: { input: { chatId, id: `${chatId}-draft-2` } } }),
  'Mutation.appendToDraft': ({ userId, chatId, draftId }) => ({
    variables: { input: { chatId, id: draftId, offset: 1, chunks: [`${userId} goes on`] } },
  }),
  'Mutation.finishDraft': ({ chatId, draftId }) => ({ variables: { input: { chatId, id: draftId } } }),
  'Mutation.stopDraft': ({ chatId, draftId }) => ({ variables: { input: { chatId, id: draftId } } }),
  'Mutation.discardDraft': ({ chatId, draftId }) => ({ variables: { input: { chatId, id: draftId } } }),
  'Subscription.draft': ({ chatId, draftId }) => ({ variables: { chatId, id: draftId } }),
  'Subscription.drafts': ({ chatId }) => ({ variables: { chatId } }),
  'Subscription.branchHead': ({ chatId }) => ({ variables: { chatId } }),
  'Subscription.chatChanges': ({ userId, chatId }) => ({
    variables: { userId },
    then: `mutation { updateChat(input: { id: "${chatId}", metadata: {} }) { __typename } }`,
  }),
  'Subscription.chatEvents': ({ chatId }) => ({ variables: { chatId, after: 0 } }),
};

/** Ids that clients choose are taken or free, and whoever chooses one has to be told; but no more than that. */
const CHOSEN = new Map<string, (keyof Belongings)[]>([
  ['Mutation.createChat input.id', ['chatId']],
  ['Mutation.upsertChat input.id', ['chatId']],
  ['Mutation.saveMessages input.messages.0.id', ['messageId']],
  ['Mutation.editMessage input.id', ['messageId']],
  ['Mutation.startDraft input.id', ['messageId', 'draftId']],
]);

const doors = fieldsOf(schema).filter((field) => idPaths(field).length > 0);
const paths = doors.flatMap((door) => idPaths(door).map((path) => ({ door, path, title: `${door.name} ${path}` })));

function documentFor({ name, field }: Field, own: Belongings): { document: string; variables: object } {
  const { variables, document } = calls[name]!(own);
  return { variables, document: document ?? documentOf(schema, { name, field }, 2) };
}

/** What is done while a call waits, by whoever the things are of. */
function thenFor(parley: Parley, { name }: Field, own: Belongings): () => Promise<unknown> {
  const { then } = calls[name]!(own);
  return async () => then && ask(parley, own.userId, then, {});
}

/** Whether a call did what it was to do. */
function isDone({ data, isRefused }: Answer): boolean {
  return !isRefused && !/"__typename":"\w+Error"|:null\}?$/.test(JSON.stringify(data));
}

function replaced(variables: object, path: string, value: string): object {
  const copy = structuredClone(variables);
  const steps = path.split('.');
  const last = steps.pop()!;
  const parent = steps.reduce(
    (at, step) => (at[step] ??= {}) as Record<string, unknown>,
    copy as Record<string, unknown>,
  );
  parent[last] = value;
  return copy;
}

test('every field that takes an id is tried', () => {
  expect(Object.keys(calls).sort()).toEqual(doors.map(({ name }) => name).sort());
});

/** Ids of the same shape, of which there is none. */
function nothingLike(own: Belongings): Belongings {
  const twin = (id: string) =>
    id.replaceAll('alice', 'nobod').replace(/[0-9a-f]$/, (sign) => (sign === '7' ? '8' : '7'));
  return Object.fromEntries(Object.entries(own).map(([key, id]) => [key, twin(id as string)])) as never;
}

/** What a field is tried with: ids as they are, and where any object is named, as each of their types. */
function namesOf(door: Field, id: string): string[] {
  if (door.name !== 'Query.node') return [id];
  return ['Chat', 'Message', 'Branch', 'Checkpoint'].map((type) => encodeNodeId(type, id));
}

test('an id of somebody else is the id of nothing, wherever it is given', async () => {
  const parley = await openParley({ limits: UNLIMITED });
  const alice = await belongingsOf(parley, 'alice');
  const nobody = nothingLike(alice);
  const wholeChat = `query ($id: ID!) { chat(id: $id) ${everything(schema, schema.getType('Chat')!, 2)} }`;
  const before = await ask(parley, 'alice', wholeChat, { id: alice.chatId });
  expect(before.text).toContain('alice title');

  const leaks: unknown[] = [];
  for (const { door, path, title } of paths) {
    const mallory = await belongingsOf(parley, 'mallory');
    const { document, variables } = documentFor(door, mallory);
    const answerTo = async (id: string) => {
      const { text, statements } = await ask(parley, 'mallory', document, replaced(variables, path, id));
      return { text: text.replaceAll(id, '<id>'), statements };
    };
    for (const kind of Object.keys(alice) as (keyof Belongings)[]) {
      const absentNames = namesOf(door, nobody[kind]);
      for (const [n, name] of namesOf(door, alice[kind]).entries()) {
        // What can be chosen freely is taken, and does something when it is not.
        if (CHOSEN.has(title) && !CHOSEN.get(title)!.includes(kind)) continue;
        const foreign = await answerTo(name);
        const absent = CHOSEN.has(title) ? foreign : await answerTo(absentNames[n]!);
        if (CHOSEN.has(title)) expect(foreign.text).toContain('AlreadyExistsError');
        const isSame = foreign.text === absent.text && foreign.statements === absent.statements;
        if (!isSame || foreign.text.includes('alice')) leaks.push({ title, kind, name, foreign, absent });
      }
    }
    // With their own it is done: it was for the id that it was not.
    const own = await ask(parley, 'mallory', document, variables, thenFor(parley, door, mallory));
    expect([title, own.text, isDone(own)]).toEqual([title, own.text, true]);
  }
  expect(leaks).toEqual([]);
  expect((await ask(parley, 'alice', wholeChat, { id: alice.chatId })).text).toBe(before.text);
});

test('an id of anybody is good for an admin, wherever it is given', async () => {
  const parley = await openParley({ limits: UNLIMITED });
  for (const door of doors) {
    const bob = await belongingsOf(parley, 'bob');
    const { document, variables } = documentFor(door, bob);
    const answer = await ask(parley, 'local', document, variables, thenFor(parley, door, bob));
    expect([door.name, answer.text, isDone(answer)]).toEqual([door.name, answer.text, true]);
  }
});

describe('lists and walks', () => {
  const connections = fieldsOf(schema).filter(({ field }) =>
    field.args.some(({ name }) => name === 'after' && field.type.toString().endsWith('Connection!')),
  );
  const lists: Record<string, string> = {
    'Query.chats': 'chats(first: $first, after: $after) { edges { cursor node { id } } }',
    'Query.users': 'users(first: $first, after: $after) { edges { cursor node { id messageCount } } }',
    'Query.search': 'search(query: "asks", first: $first, after: $after) { edges { cursor node { message { id } } } }',
    'Chat.branches':
      'chat(id: $chatId) { list: branches(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Chat.messages':
      'chat(id: $chatId) { list: messages(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Chat.checkpoints':
      'chat(id: $chatId) { list: checkpoints(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Chat.events': 'chat(id: $chatId) { list: events(first: $first, after: $after) { edges { cursor node { seq } } } }',
    'Chat.search':
      'chat(id: $chatId) { list: search(query: "asks", first: $first, after: $after) { edges { cursor node { message { id } } } } }',
    'Message.children':
      'message(id: $messageId) { children(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Message.path': 'message(id: $messageId) { path(first: $first, after: $after) { edges { cursor node { id } } } }',
    'Branch.messages':
      'chat(id: $chatId) { activeBranch { messages(first: $first, after: $after) { edges { cursor node { id } } } } }',
  };

  /** Their cursors name a place among what is in all chats; others are of one list, and refused elsewhere. */
  const AMONG_ALL = ['Query.chats', 'Query.search', 'Chat.search'];

  /** Which are nobody else's. */
  const ADMINS_ONLY = ['Query.users'];

  test('that take cursors are all tried', () => {
    expect(Object.keys(lists).sort()).toEqual(connections.map(({ name }) => name).sort());
  });

  it('show a stranger nothing, whichever cursor', async () => {
    const parley = await openParley({ limits: UNLIMITED });
    const [alice, mallory] = [await belongingsOf(parley, 'alice'), await belongingsOf(parley, 'mallory')];
    for (const [name, list] of Object.entries(lists)) {
      const ids = ['chatId', 'messageId'].filter((id) => list.includes(`$${id}`)).map((id) => `$${id}: ID!, `);
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

  it('from everything that can be reached', async () => {
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

// The database in memory cannot be changed from outside.
if (!isInMemory) {
  test('a chat that has become somebody else’s is followed no further', async () => {
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
      doors.find(({ name }) => name === 'Mutation.saveMessages')!,
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
