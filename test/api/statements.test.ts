/** The number of SQL statements depends on the shape of an operation, never on the number of rows. */
import { beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { readGraphiqlTabs } from '../../src/features/pages/graphiql.js';
import { createChat, save, userMessage } from '../support/chats/operations.js';
import { startParley, type Parley } from '../support/server/parley.js';
import { databaseKind } from '../support/database/database-kind.js';
import { temporaryDatabase } from '../support/database/temporary-database.js';

/** A chat of `size` messages on a chain, `size` answers to its first message, and as many branches and checkpoints. */
async function chatOf(parley: Parley, id: string, size: number): Promise<void> {
  await createChat(parley, id);
  const ids = Array.from({ length: size }, (_, n) => `${id}-${n}`);
  await save(parley, { chatId: id, messages: ids.map((each) => userMessage(each)) });
  for (let n = 0; n < Math.min(size / 2, 8); n++) {
    const input = { chatId: id, id: `${id}-draft-${n}` };
    const append = { ...input, offset: 0, chunks: ['a', 'b'] };
    await parley.ask(
      `mutation ($input: StartDraftInput!, $append: AppendToDraftInput!) {
        startDraft(input: $input) { __typename } appendToDraft(input: $append) { __typename }
      }`,
      { input, append },
    );
  }
  for (let n = 1; n < size; n += 2) {
    const merge = { ...userMessage(`${id}-merge-${n}`), sourceIds: [`${id}-${n}`, `${id}-0`] };
    await save(parley, { chatId: id, messages: [merge] });
  }
  for (let n = 0; n < size; n++) {
    await parley.ask(
      `mutation ($id: ID!, $name: String!, $message: ID!) {
        rewind(input: { chatId: $id, at: { message: $message }, branchName: $name }) { __typename }
        saveMessages(input: { chatId: $id, messages: [{ name: "assistant", content: { text: "answer" } }] }) { __typename }
        createCheckpoint(input: { chatId: $id, name: $name, messageId: $message }) { __typename }
        switchBranch(input: { chatId: $id, name: "main" }) { __typename }
      }`,
      { id, name: `branch ${n}`, message: `${id}-0` },
    );
  }
}

const EVERY_FIELD = `fragment EveryField on Message {
  id nodeId chat { id title activeBranch { name } messageCount } parent { id parent { id } } parentId
  children(last: 3) { totalCount edges { node { id } } }
  name type data text createdAt depth seq hasChildren sources { id text } drawnOnBy(last: 2) { totalCount edges { node { id } } }
  chain(limit: 4) { id } siblings { id } siblingIndex siblingCount
  previousSibling { id } nextSibling { id } preview createdBy path(last: 2) { totalCount edges { cursor node { id } } }
  latestLeaf { id } headOf { name } branches { name } checkpoints { name }
}`;

/** The kinds of query that clients send. Each takes a chat's id. */
const QUERIES: Record<string, string> = {
  'the chain of the active branch': 'query ($id: ID!) { chat(id: $id) { activeBranch { chain { id text data } } } }',
  'a page of a branch': `query ($id: ID!) { chat(id: $id) { branch(name: "main") {
    messageCount messages(last: 50) { totalCount pageInfo { startCursor } edges { cursor node { id text } } } } } }`,
  'every field of every message': `query ($id: ID!) { chat(id: $id) { activeBranch { chain { ...EveryField } } } }
    ${EVERY_FIELD}`,
  'every branch with a page and its head': `query ($id: ID!) { chat(id: $id) { branches(first: 1000) { totalCount edges {
    node { id name isActive messageCount chat { id } head { id text } messages(last: 2) { edges { node { id } } }
      chain(limit: 3) { id parent { id } } } } } } }`,
  'every checkpoint with its message': `query ($id: ID!) { chat(id: $id) { checkpoints(first: 1000) { totalCount edges {
    node { name chat { id } message { id siblingCount checkpoints { name } } } } } } }`,
  'the whole graph': `query ($id: ID!) { chat(id: $id) { graph {
    nodes { id parentId content sourceIds } branches { name head { id } } checkpoints { name message { id } } } } }`,
  'a comparison': `query ($id: ID!) { chat(id: $id) { compare(base: { branch: "main" }, head: { branch: "branch 0" }) {
    status commonAncestor { id } aheadBy behindBy ahead { edges { node { id } } } behind(last: 2) { totalCount } } } }`,
  'the outline': `query ($id: ID!) { chat(id: $id) { outline { messageCount segments { firstId lastId length sourceIds } branches { name } } } }`,
  'every draft': `query ($id: ID!) { chat(id: $id) { drafts { edges { node { id chat { id } branch { name } parent { id text }
    name metadata length state startedBy startedAt updatedAt } } } } }`,
  'every draft as it is so far': `query ($id: ID!) { chat(id: $id) { drafts { edges { node { text chunks rest: chunks(after: 1) } } } } }`,
  'the log': `query ($id: ID!) { chat(id: $id) { events(first: 1000) { edges { node { __typename seq actorId
    ... on ChatCreated { chat { id } }
    ... on BranchCreated { branch { name head { id } } }
    ... on BranchActivated { branch { name } }
    ... on BranchHeadMoved { branch { name } messages { id text } }
    ... on CheckpointSaved { checkpoint { name message { id } } } } } } } }`,
  'the alternatives that follow a message': `query ($id: ID!) { chat(id: $id) { roots {
    children(first: 1000) { edges { node { ...EveryField } } } } } } ${EVERY_FIELD}`,
  'a search in one chat': `query ($id: ID!) { chat(id: $id) { search(query: "answer", first: 1000) { edges { node {
    rank snippet message { id text branches { name } checkpoints { name } siblingCount } } } pageInfo { endCursor } } } }`,
  'a search everywhere': `{ search(query: "answer", first: 1000, filter: { names: ["assistant"] }) { edges { cursor node {
    rank snippet message { id chat { id title } headOf { name } } } } pageInfo { hasNextPage } } }`,
  'the list of users': `{ users(first: 1000) { totalCount edges { node { id chatCount messageCount lastActiveAt } } } }`,
  'the list of chats': `{ chats(first: 1000) { totalCount edges { node { id title metadata messageCount version
    activeBranch { name head { text } } latestLeaf { id text } lastMessage { id text }
    messages(last: 2) { totalCount edges { cursor node { id text } } } roots { id } branch(name: "main") { name }
    checkpoint(name: "branch 0") { name } branches(last: 1) { edges { node { name } } }
    events(last: 1) { edges { node { seq } } } drafts { edges { node { id length branch { name } parent { id } text } } }
    moves: events(last: 2, filter: { types: [BRANCH_HEAD_MOVED], branch: "main" }) { edges { node { seq } } } search(query: "answer", first: 2) { edges { node { snippet } } } } } } }`,
};

let parley: Parley;
/** The statements of each query for a single small chat, and for a large chat among others. */
let few: Record<string, string[]>;
let many: Record<string, string[]>;

beforeAll(async () => {
  const database = await temporaryDatabase();
  const limits = { costLimit: Number.MAX_SAFE_INTEGER };
  // With one connection for reads, batches do not depend on the order in which the database answers.
  const databaseUrl = databaseKind === 'sqlite' ? database.url : `${database.url}&connection_limit=2`;
  const started = await startParley({ databaseUrl, limits });
  parley = started.parley;
  await chatOf(parley, 'small', 3);
  few = await count('small');
  await chatOf(parley, 'large', 40);
  for (let n = 0; n < 30; n++) await createChat(parley, `more ${n}`);
  many = await count('large');
  return async () => {
    await started.stop();
    await database.remove();
  };
});

/** In the distributed form, the branches of several chats are one statement for each chat. */
const ONE_FOR_EACH_CHAT = inject('distributedForm') === undefined ? [] : ['a search everywhere', 'the list of chats'];

test.each(Object.keys(QUERIES).filter((name) => !ONE_FOR_EACH_CHAT.includes(name)))(
  '%s: as many statements for 3 rows as for 40',
  (name) => {
    const [forFew, forMany] = [few[name]!, many[name]!];
    expect(forMany.length, statementsOf(forFew, forMany)).toBe(forFew.length);
    expect(forFew.length).toBeGreaterThan(0);
  },
);

const ofChat = (field: string) => `{ chat(id: "large") { id ${field} } }`;
const ofMessages = (field: string) => `{ chat(id: "large") { activeBranch { chain { id ${field} } } } }`;
const ofBranches = (field: string) => `{ chat(id: "large") { branches { edges { node { name ${field} } } } } }`;
const ofChats = (field: string) => `{ chats(first: 1000) { edges { node { id activeBranch { id } ${field} } } } }`;
const ofActiveBranches = (field: string) =>
  `{ chats(first: 1000) { edges { node { activeBranch { id ${field} } } } } }`;

const COMPARED = 'compare(base: { checkpoint: "branch 0" }, head: { branch: "main" })';

test.each([
  [`${COMPARED} { status commonAncestor { id } aheadBy behindBy }`, ofChat, 4],
  ['createdBy', ofMessages, 1],
  ['contentHash', ofMessages, 1],
  ['createdAtMessage { id }', ofBranches, 2],
  ['lastMessage { id name }', ofChats, 1],
  ['lastMessage { id }', ofChats, 0],
  ['usage { model messages }', ofChats, 0],
  ['usage { model messages }', ofActiveBranches, 1],
])('%s takes its statements for any number of rows, and none when it is not selected: %#', async (field, of, added) => {
  freezeClock();
  onTestFinished(() => void vi.useRealTimers());
  const countOf = async (query: string) => {
    parley.takeStatements();
    expect(await parley.ask(query)).not.toHaveProperty('errors');
    return parley.takeStatements().length;
  };
  expect((await countOf(of(field))) - (await countOf(of('')))).toBe(added);
});

test('saving 200 messages takes as many statements as saving 2', async () => {
  await createChat(parley, 'c');
  await save(parley, { chatId: 'c', messages: [userMessage('first')] });
  const counts = [];
  for (const size of [2, 200]) {
    parley.takeStatements();
    await save(parley, {
      chatId: 'c',
      messages: Array.from({ length: size }, (_, n) => userMessage(`${size}-${n}`)),
    });
    // In the distributed form, up to eight ids are reserved one by one.
    counts.push(parley.takeStatements().filter((text) => !text.includes('id_directory')).length);
  }
  expect(counts[1]).toBe(counts[0]);
});

test('the queries in the tabs of GraphiQL take few statements', async () => {
  await chatOf(parley, 'newest', 5);
  parley.takeStatements();
  const { errors } = await parley.ask(readGraphiqlTabs()[0]?.query ?? '');
  expect(errors).toBeUndefined();
  // It has two lists of chats: their fields are loaded together if both arrive together, otherwise separately.
  expect(parley.takeStatements().length).toBeLessThanOrEqual(15);
});

test('the head of a branch is read only for fields that the branch lacks', async () => {
  freezeClock();
  onTestFinished(() => void vi.useRealTimers());
  const statementsFor = async (head: string, variables: object) => {
    const query = `query ($id: ID!, $text: Boolean!) { chat(id: $id) {
      branches { edges { node { name ${head} } } } activeBranch @skip(if: $text) { name ${head} } } }`;
    parley.takeStatements();
    const { errors } = await parley.ask(query, variables);
    expect(errors).toBeUndefined();
    return parley.takeStatements();
  };
  const head = 'head { id ... on Node { ... on Message { a_depth: depth __typename text @include(if: $text) } } }';
  const [withText, without] = [true, false].map((text) => ({ id: 'small', text }));
  const { length } = await statementsFor('', without!);
  expect(await statementsFor(head, without!)).toHaveLength(length);
  expect(await statementsFor(head, withText!)).toHaveLength(length + 1);
  expect(await statementsFor(head, without!)).toHaveLength(length);
});

async function count(id: string): Promise<Record<string, string[]>> {
  const statements: Record<string, string[]> = {};
  freezeClock();
  for (const [name, query] of Object.entries(QUERIES)) {
    parley.takeStatements();
    const { errors } = await parley.ask(query, { id });
    expect(errors).toBeUndefined();
    statements[name] = parley.takeStatements();
  }
  vi.useRealTimers();
  return statements;
}

/** A long turn of the event loop would split combined reads. */
function freezeClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
}

function statementsOf(few: string[], many: string[]): string {
  const short = (statements: string[]) => statements.map((sql) => sql.replace(/\s+/g, ' ').slice(0, 100)).join('\n');
  return `for few rows:\n${short(few)}\n\nfor many:\n${short(many)}`;
}
