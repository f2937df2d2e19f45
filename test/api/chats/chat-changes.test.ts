/** The list of chats, live: docs/subscriptions.md, sentence by sentence. */
import { isDeepStrictEqual } from 'node:util';
import { parse, subscribe, type ExecutionResult } from 'graphql';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createChat } from '../../../src/conversation/chats.js';
import { createContext, type FeatureContext } from '../../../src/graphql/context.js';
import { encodeNodeId } from '../../../src/graphql/node/node-id.js';
import { schema } from '../../../src/server/schema.js';
import { openDatabase } from '../../../src/database/opening/open.js';
import type { ListChange } from '../../../src/events/list-changes.js';
import type { EventStream } from '../../support/server/event-stream.js';
import { openParley, type Parley } from '../../support/server/parley.js';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { userOf } from '../followed-chats.js';

const CHANGES = `subscription ($userId: ID, $includeShared: Boolean! = true) {
  chatChanges(userId: $userId, includeShared: $includeShared) { chatId chatNodeId kind version chat { id title version messageCount } }
}`;

const client = (parley: Parley, userId: string) => userOf(parley, userId, CHANGES);

const create = (id: string) => `createChat(input: { id: "${id}", title: "of ${id}" })`;
const rename = (id: string, title: string) => `updateChat(input: { chatId: "${id}", title: "${title}" })`;
const remove = (id: string) => `deleteChat(input: { chatId: "${id}" })`;

/** Changes in short. */
async function take(stream: EventStream, length = 1): Promise<[string, string, number][]> {
  const answers = (await stream.take(length)) as unknown as { data: { chatChanges: ListChange } }[];
  return answers.map(({ data: { chatChanges } }) => [chatChanges.chatId, chatChanges.kind, chatChanges.version]);
}

/**
 * Reads until a change. Those of the chat before it may be missing: a stream delivers the newest one. They may also say
 * REMOVED with their own version: the chat is read when they are delivered.
 */
async function takeUntil(
  stream: EventStream,
  ...change: [chatId: string, kind: string, version: number]
): Promise<void> {
  for (;;) {
    const [next] = await take(stream);
    if (isDeepStrictEqual(next, change)) return;
  }
}

describe('chatChanges', () => {
  test('reports every created, changed and removed chat in its present state', async () => {
    const parley = await openParley();
    const ann = client(parley, 'ann');
    const stream = await ann.follow();
    await ann.mutate(create('c'));
    expect(await stream.next()).toEqual({
      data: {
        chatChanges: {
          chatId: 'c',
          chatNodeId: encodeNodeId('Chat', 'c'),
          kind: 'CREATED',
          version: 3,
          chat: { id: 'c', title: 'of c', version: 3, messageCount: 0 },
        },
      },
    });
    await ann.mutate('saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { text: "Hi" } }] })');
    expect(await stream.next()).toMatchObject({
      data: { chatChanges: { kind: 'CHANGED', version: 4, chat: { version: 4, messageCount: 1 } } },
    });
    await ann.mutate(remove('c'));
    expect(await stream.next()).toEqual({
      data: {
        chatChanges: {
          chatId: 'c',
          chatNodeId: encodeNodeId('Chat', 'c'),
          kind: 'REMOVED',
          version: 5,
          chat: null,
        },
      },
    });
    expect(parley.takeUnexpectedErrors()).toEqual([]);
  });

  test('an admin follows all chats or those of userId; other users only their own', async () => {
    const parley = await openParley();
    const [ann, bob, admin] = [client(parley, 'ann'), client(parley, 'bob'), client(parley, 'local')];
    const all = await admin.follow();
    const anns = await admin.follow({ userId: 'ann' });
    const [annsOwn, bobsOwn] = [await ann.follow({ userId: 'ann' }), await bob.follow()];
    await ann.mutate(create('a'));
    expect(await take(annsOwn)).toEqual([['a', 'CREATED', 3]]);
    await ann.mutate(rename('a', 'other'));
    expect(await take(annsOwn)).toEqual([['a', 'CHANGED', 4]]);
    await ann.mutate(remove('a'));
    expect(await take(annsOwn)).toEqual([['a', 'REMOVED', 5]]);
    await bob.mutate(create('b'));
    expect(await take(bobsOwn)).toEqual([['b', 'CREATED', 3]]);
    await takeUntil(anns, 'a', 'REMOVED', 5);
    await takeUntil(all, 'b', 'CREATED', 3);
  });

  test.each([
    ['bob', { userId: 'ann' }, "userId: only an admin may follow another user's chats"],
    ['bob', { userId: '' }, 'userId must not be empty'],
    ['local', { userId: '' }, 'userId must not be empty'],
  ])('refuses %s with %j', async (viewer, variables, message) => {
    const parley = await openParley();
    const stream = await client(parley, viewer).follow(variables);
    expect(await stream.rest()).toMatchObject([{ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] }]);
    expect(parley.takeUnexpectedErrors()).toEqual([]);
  });

  test('reports a chat as removed when it no longer belongs to the viewer', async () => {
    const { store, reads, log } = await openDatabase({ url: emptyDatabaseUrl(), migrate: true });
    onTestFinished(() => store.close());
    await createChat(store, { userId: 'bob', isAdmin: false }, { id: 'c' });
    async function* listChanges(): AsyncGenerator<ListChange> {
      for (const chatId of ['c', 'gone']) yield { chatId, kind: 'CHANGED', version: 3, number: 1 };
    }
    const chatList = { follow: async () => listChanges() } as never;
    const changesFor = async (viewer: { userId: string; isAdmin: boolean }) => {
      const contextValue = createContext(viewer, {
        store,
        reads,
        live: { log, feeds: null as never, chatList },
        ...({} as FeatureContext),
      });
      const results = await subscribe({ schema, document: parse(CHANGES), contextValue, variableValues: {} });
      const answers: unknown[] = [];
      for await (const { data } of results as AsyncIterable<ExecutionResult>) answers.push(data!['chatChanges']);
      return answers;
    };
    const removed = { kind: 'REMOVED', chat: null };
    expect(await changesFor({ userId: 'ann', isAdmin: false })).toMatchObject([removed, removed]);
    expect(await changesFor({ userId: 'bob', isAdmin: false })).toMatchObject([
      { kind: 'CHANGED', chat: { id: 'c' } },
      removed,
    ]);
    expect(await changesFor({ userId: 'root', isAdmin: true })).toMatchObject([
      { kind: 'CHANGED', chat: { id: 'c' } },
      removed,
    ]);
  });

  test('reads a change once and makes its answer once for any number of subscribers', async () => {
    // The periodic checks of the server would count.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const countFor = async (followers: number) => {
      const parley = await openParley();
      const ann = client(parley, 'ann');
      const quiet = client(parley, 'bob');
      await ann.mutate(create('c'));
      const streams = await Promise.all(Array.from({ length: followers }, () => ann.follow()));
      for (let n = 0; n < followers; n++) await quiet.follow();
      let version = 3;
      const rounds = async () => {
        for (let n = 0; n < 3; n++) {
          version++;
          await ann.mutate(rename('c', `${n}`));
          // The notice of the creation may come after the subscription, as a change before these.
          for (const stream of streams) await takeUntil(stream, 'c', 'CHANGED', version);
        }
      };
      // At first, some may be on their own.
      await rounds();
      parley.takeStatements();
      await rounds();
      const statements = parley.takeStatements();
      return { all: statements.length, looks: statements.filter((sql) => sql.includes('transferredAt')).length };
    };
    const [none, one, many] = [await countFor(0), await countFor(1), await countFor(40)];
    expect(none.looks).toBe(0);
    expect(one.looks).toBe(3);
    expect(many).toEqual(one);
  });

  test('a transferred chat is removed for its old owner, created for the new one, and changed for an admin', async () => {
    const parley = await openParley();
    const [ann, bob, admin] = [client(parley, 'ann'), client(parley, 'bob'), client(parley, 'local')];
    await ann.mutate(create('c'));
    const [anns, bobs, all] = [await ann.follow(), await bob.follow(), await admin.follow()];
    await admin.mutate('transferChat(input: { chatId: "c", userId: "bob" })');
    await takeUntil(anns, 'c', 'REMOVED', 4);
    await takeUntil(bobs, 'c', 'CREATED', 4);
    await takeUntil(all, 'c', 'CHANGED', 4);
    await bob.mutate(rename('c', 'mine'));
    await takeUntil(bobs, 'c', 'CHANGED', 5);
    await ann.mutate(create('d'));
    await takeUntil(anns, 'd', 'CREATED', 3);
  });

  test('reports invitations, changes and the end of each role, unless includeShared is false', async () => {
    const parley = await openParley();
    const [ann, bob, admin] = [client(parley, 'ann'), client(parley, 'bob'), client(parley, 'local')];
    await ann.mutate(create('c'));
    const bobs = [await bob.follow(), await admin.follow({ userId: 'bob' })];
    const bobsOwn = await bob.follow({ includeShared: false });
    const report = async (by: typeof ann, mutation: string, ...change: [kind: string, version: number]) => {
      await by.mutate(mutation);
      for (const stream of bobs) await takeUntil(stream, 'c', ...change);
    };
    const invite = (role: string) => `addMember(input: { chatId: "c", userId: "bob", role: ${role} })`;
    await report(ann, invite('READER'), 'CREATED', 4);
    await report(ann, invite('WRITER'), 'CHANGED', 5);
    await report(bob, rename('c', 'ours'), 'CHANGED', 6);
    await report(ann, 'removeMember(input: { chatId: "c", userId: "bob" })', 'REMOVED', 7);
    await report(ann, invite('READER'), 'CREATED', 8);
    await report(bob, 'removeMember(input: { chatId: "c", userId: "bob" })', 'REMOVED', 9);
    await report(ann, invite('READER'), 'CREATED', 10);
    await report(ann, remove('c'), 'REMOVED', 11);
    await report(ann, 'restoreChat(input: { chatId: "c" })', 'CREATED', 11);
    await report(ann, 'transferChat(input: { chatId: "c", userId: "bob" })', 'CHANGED', 12);
    expect(await take(bobsOwn)).toEqual([['c', 'CREATED', 12]]);
  });

  test('reports the end of a membership that began before the subscription', async () => {
    const parley = await openParley();
    const [ann, bob, eve] = ['ann', 'bob', 'eve'].map((userId) => client(parley, userId));
    const invite = (chatId: string, userId: string) =>
      ann!.mutate(`addMember(input: { chatId: "${chatId}", userId: "${userId}", role: READER })`);
    for (const id of ['left', 'removed', 'deleted']) {
      await ann!.mutate(create(id));
      await invite(id, 'bob');
    }
    const [bobs, eves] = [await bob!.follow(), await eve!.follow()];
    await bob!.mutate('removeMember(input: { chatId: "left", userId: "bob" })');
    await takeUntil(bobs, 'left', 'REMOVED', 5);
    await ann!.mutate('removeMember(input: { chatId: "removed", userId: "bob" })');
    await takeUntil(bobs, 'removed', 'REMOVED', 5);
    await ann!.mutate('deleteChat(input: { chatId: "deleted", permanently: true })');
    await takeUntil(bobs, 'deleted', 'REMOVED', 5);
    await ann!.mutate(create('first'));
    await invite('first', 'eve');
    expect(await take(eves)).toEqual([['first', 'CREATED', 4]]);
  });
});
