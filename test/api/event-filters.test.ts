/** A filtered log of a chat equals the filtered list of all its events, page by page. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startParley, type Parley } from '../support/server/parley.js';
import { temporaryDatabase } from '../support/database/temporary-database.js';

interface Event {
  seq: number;
  __typename: string;
  actorId: string;
  createdAt: string;
  branch?: { name: string } | null;
}
interface Page {
  edges: { cursor: string; node: Event }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean };
}

const EVENTS = `query ($id: ID!, $filter: EventFilter, $first: Int, $last: Int, $after: String, $before: String) {
  chat(id: $id) { events(filter: $filter, first: $first, last: $last, after: $after, before: $before) {
    edges { cursor node { seq __typename actorId createdAt
      ... on BranchCreated { branch { name } } ... on BranchActivated { branch { name } }
      ... on BranchHeadMoved { branch { name } } ... on BranchRenamed { branch { name } } } }
    pageInfo { hasNextPage hasPreviousPage }
  } }
}`;

let parley: Parley;
let log: Event[];

async function ask<T>(userId: string, query: string, variables: object = {}): Promise<T> {
  const { data, errors } = await parley.ask(query, variables, { 'x-user-id': userId });
  expect(errors).toBeUndefined();
  return data as T;
}

async function events(filter: object | null, args: object = { first: 1000 }, id = 'c'): Promise<Page> {
  const { chat } = await ask<{ chat: { events: Page } }>('local', EVENTS, { id, filter, ...args });
  return chat.events;
}

const seqs = ({ edges }: Page) => edges.map(({ node }) => node.seq);

beforeAll(async () => {
  const database = await temporaryDatabase();
  const started = await startParley({ databaseUrl: database.url });
  parley = started.parley;
  const messagesInput = (id: string) => `messages: [{ id: "${id}", name: "user", content: { text: "${id}" } }]`;
  const changes = [
    ['alice', 'createChat(input: { id: "c" }) { __typename }'],
    ['alice', `saveMessages(input: { chatId: "c", ${messagesInput('m1')} }) { __typename }`],
    ['local', `saveMessages(input: { chatId: "c", ${messagesInput('m2')} }) { __typename }`],
    ['alice', 'createCheckpoint(input: { chatId: "c", name: "mark", messageId: "m1" }) { __typename }'],
    ['alice', 'rewind(input: { chatId: "c", at: { message: "m1" }, branchName: "again" }) { __typename }'],
    ['alice', `saveMessages(input: { chatId: "c", ${messagesInput('m3')} }) { __typename }`],
    ['local', 'renameBranch(input: { chatId: "c", name: "again", newName: "better" }) { __typename }'],
    ['alice', 'switchBranch(input: { chatId: "c", name: "main" }) { __typename }'],
    ['alice', `saveMessages(input: { chatId: "c", ${messagesInput('m4')} }) { __typename }`],
    ['local', 'updateChat(input: { chatId: "c", title: "better" }) { __typename }'],
    ['alice', 'rewind(input: { chatId: "c", at: { message: "m1" }, branchName: "gone" }) { __typename }'],
    ['alice', 'switchBranch(input: { chatId: "c", name: "main" }) { __typename }'],
    ['alice', 'deleteBranch(input: { chatId: "c", name: "gone" }) { __typename }'],
    ['local', 'deleteCheckpoint(input: { chatId: "c", name: "mark" }) { __typename }'],
  ] as const;
  for (const [userId, change] of changes) {
    const data = await ask(userId, `mutation { ${change} }`);
    expect(JSON.stringify(data)).toContain('Payload');
  }
  log = (await events(null)).edges.map(({ node }) => node);
  return async () => {
    await started.stop();
    await database.remove();
  };
});

const typeName = (type: string) =>
  type.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

describe('a filter returns', () => {
  it('all events without conditions', async () => {
    expect(log.length).toBeGreaterThan(15);
    for (const filter of [{}, { types: null, branch: null }])
      expect(seqs(await events(filter))).toHaveLength(log.length);
  });

  it.each([
    'CHAT_CREATED',
    'CHAT_UPDATED',
    'CHAT_DELETED',
    'CHAT_TRANSFERRED',
    'BRANCH_CREATED',
    'BRANCH_ACTIVATED',
    'BRANCH_HEAD_MOVED',
    'BRANCH_RENAMED',
    'BRANCH_DELETED',
    'CHECKPOINT_SAVED',
    'CHECKPOINT_DELETED',
  ])('events of the type %s', async (type) => {
    const expected = log.filter(({ __typename }) => __typename === typeName(type));
    expect(seqs(await events({ types: [type] }))).toEqual(expected.map(({ seq }) => seq));
    expect(expected.length > 0).toBe(!['CHAT_DELETED', 'CHAT_TRANSFERRED'].includes(type));
  });

  it('events of several types, and none for no type', async () => {
    const expected = log.filter(({ __typename }) => /^Checkpoint/.test(__typename)).map(({ seq }) => seq);
    expect(seqs(await events({ types: ['CHECKPOINT_DELETED', 'CHECKPOINT_SAVED'] }))).toEqual(expected);
    expect(seqs(await events({ types: [] }))).toEqual([]);
  });

  it('events of one user', async () => {
    for (const actorId of ['alice', 'local']) {
      const expected = log.filter((event) => event.actorId === actorId).map(({ seq }) => seq);
      expect(seqs(await events({ actorId }))).toEqual(expected);
    }
    for (const actorId of ['nobody', '', 'no id ']) expect(seqs(await events({ actorId }))).toEqual([]);
  });

  it('events of one branch under any name', async () => {
    for (const name of ['main', 'better']) {
      const expected = log.filter(({ branch }) => branch?.name === name).map(({ seq }) => seq);
      expect(expected.length).toBeGreaterThan(3);
      expect(seqs(await events({ branch: name }))).toEqual(expected);
    }
    // Previous names, and impossible ones.
    for (const name of ['again', 'gone', '', 'no name ']) expect(seqs(await events({ branch: name }))).toEqual([]);
  });

  it('events between two times, exclusive', async () => {
    const times = log.map(({ createdAt }) => createdAt);
    for (const time of times) {
      const later = log.filter(({ createdAt }) => createdAt > time).map(({ seq }) => seq);
      expect(seqs(await events({ after: time }))).toEqual(later);
      const earlier = log.filter(({ createdAt }) => createdAt < time).map(({ seq }) => seq);
      expect(seqs(await events({ before: time }))).toEqual(earlier);
    }
    expect(seqs(await events({ after: times.at(0), before: times.at(0) }))).toEqual([]);
  });

  it('events that meet all conditions', async () => {
    const filter = { types: ['BRANCH_HEAD_MOVED', 'CHAT_UPDATED'], branch: 'main', actorId: 'alice' };
    const expected = log.filter(
      ({ __typename, branch, actorId }) =>
        __typename === 'BranchHeadMoved' && branch?.name === 'main' && actorId === 'alice',
    );
    expect(seqs(await events(filter))).toEqual(expected.map(({ seq }) => seq));
    expect(seqs(await events({ ...filter, types: ['CHAT_UPDATED'] }))).toEqual([]);
  });
});

describe('a filtered log is paged by the cursors of the log', () => {
  const filters = [{ types: ['BRANCH_HEAD_MOVED'] }, { branch: 'better' }, { actorId: 'local' }, { branch: 'gone' }];

  it.each(filters)('%j, from any event and from either end', async (filter) => {
    const wanted = seqs(await events(filter));
    const { edges } = await events(null);
    for (const { cursor, node } of edges) {
      const behind = wanted.filter((seq) => seq > node.seq);
      const first = await events(filter, { first: 2, after: cursor });
      expect(seqs(first)).toEqual(behind.slice(0, 2));
      expect(first.pageInfo).toEqual({
        hasNextPage: behind.length > 2,
        hasPreviousPage: behind.length < wanted.length,
      });
      const above = wanted.filter((seq) => seq < node.seq);
      const last = await events(filter, { last: 2, before: cursor });
      expect(seqs(last)).toEqual(above.slice(-2));
      expect(last.pageInfo).toEqual({
        hasNextPage: above.length < wanted.length,
        hasPreviousPage: above.length > 2,
      });
    }
  });

  it('cursors beyond the log return nothing', async () => {
    const cursor = Buffer.from(
      Buffer.from((await events(null)).edges[0]!.cursor, 'base64url')
        .toString()
        .replace(/:\d+/, ':999999999999999'),
    ).toString('base64url');
    const behind = await events({ actorId: 'alice' }, { first: 2, after: cursor });
    expect(behind).toEqual({ edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: true } });
    expect(seqs(await events({ actorId: 'alice' }, { last: 1, before: cursor }))).toHaveLength(1);
  });
});
