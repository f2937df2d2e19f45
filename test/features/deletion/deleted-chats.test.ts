/** Deleted chats that can be restored: docs/administration/deletion.md. */
import { describe, expect, it, test } from 'vitest';
import { schema } from '../../../src/server/schema.js';
import {
  ask,
  belongingsOf,
  calls,
  documentFor,
  isDone,
  thenFor,
  UNLIMITED,
  type Belongings,
} from '../../support/chats/belongings.js';
import { everything, fieldsOf } from '../../support/chats/id-arguments.js';
import { openStream } from '../../support/server/event-stream.js';
import { openParley, type Parley } from '../../support/server/parley.js';

const run = async (parley: Parley, userId: string, document: string) => (await ask(parley, userId, document, {})).data;
const create = 'createChat(input: { id: "c", title: "Trip" }) { __typename ... on Error { message } }';
const remove = 'deleteChat(input: { chatId: "c" }) { __typename ... on DeleteChatPayload { restorableUntil } }';
const removeForever =
  'deleteChat(input: { chatId: "c", permanently: true }) { __typename ... on DeleteChatPayload { restorableUntil } }';
const restore = `restoreChat(input: { chatId: "c" }) {
  __typename ... on Error { message } ... on RestoreChatPayload { chat { id title version } }
}`;
const list = '{ deletedChats { totalCount edges { node { id userId title deletedAt restorableUntil } } } }';
const DAY_MS = 24 * 60 * 60_000;

/** Fields about a user, not about the chat. */
const OF_USERS = [
  ...['Query.chats', 'Query.deletedChats', 'Query.monthlyUsage'],
  ...['Mutation.revokeAccessToken', 'Mutation.restoreChat', 'Mutation.setRetention'],
  'Mutation.setStorageQuota',
];
/** Fields that create another chat, wait, report the deletion, find nothing or, for admins, hold deleted chats. */
const OTHERS = [
  ...['Mutation.createChat', 'Subscription.chatChanges', 'Subscription.chatEvents', 'Query.search'],
  'Mutation.setLegalHold',
];
const fields = fieldsOf(schema).filter(({ name }) => name in calls && ![...OF_USERS, ...OTHERS].includes(name));

async function outcomes(parley: Parley, userId: string, own: Belongings): Promise<[string, boolean][]> {
  const found: [string, boolean][] = [];
  for (const field of fields) {
    const { document, variables } = documentFor(field, own);
    const answer = await ask(parley, userId, document, variables, thenFor(parley, field, own));
    found.push([field.name, isDone(answer)]);
  }
  return found;
}

describe('a deleted chat', () => {
  it('is unknown in every field, also for admins and members, and complete after it is restored', async () => {
    const parley = await openParley({ limits: UNLIMITED });
    const own = await belongingsOf(parley, 'alice');
    const whole = `query ($id: ID!) { chat(id: $id) ${everything(schema, schema.getType('Chat')!, 2)} }`;
    // Drafts are lost, and the restoration is a change.
    const state = async () => {
      const { text } = await ask(parley, 'alice', whole, { id: own.chatId });
      return JSON.parse(text, (key, value: unknown) =>
        /drafts|updatedAt|version|events/i.test(key) ? undefined : value,
      ) as unknown;
    };
    const before = await state();
    const shared = `{ shared(token: "${own.shareToken}") { title } }`;
    expect(await run(parley, 'anybody', shared)).toEqual({ shared: { title: 'alice share' } });
    await run(parley, 'alice', `mutation { deleteChat(input: { chatId: "${own.chatId}" }) { __typename } }`);

    for (const userId of ['alice', 'local', 'alice friend']) {
      const known = (await outcomes(parley, userId, own)).filter(([, isKnown]) => isKnown);
      expect([userId, known]).toEqual([userId, []]);
      const lists =
        '{ chats(filter: { includeShared: true }) { edges { node { id } } } search(query: "insists") { edges { node { rank } } } }';
      expect((await ask(parley, userId, lists, {})).text).not.toMatch(/alice|rank/);
    }
    expect(await run(parley, 'anybody', shared)).toEqual({ shared: null });
    const users = await run(parley, 'local', '{ users { edges { node { id } } } }');
    expect(JSON.stringify(users)).not.toContain('alice');

    await run(parley, 'alice', `mutation { restoreChat(input: { chatId: "${own.chatId}" }) { __typename } }`);
    expect(await state()).toEqual(before);
    expect(await run(parley, 'anybody', shared)).toEqual({ shared: { title: 'alice share' } });
    const read = `{ chat(id: "${own.chatId}") { viewerRole } }`;
    expect(await run(parley, 'alice friend', read)).toEqual({ chat: { viewerRole: 'READER' } });
    expect(parley.takeUnexpectedErrors()).toEqual([]);
  });

  it('is restored by its owner and by admins, for seven days', async () => {
    const parley = await openParley();
    await run(parley, 'ann', `mutation { ${create} }`);
    await run(
      parley,
      'ann',
      'mutation { addMember(input: { chatId: "c", userId: "bob", role: WRITER }) { __typename } }',
    );
    const unknown = {
      restoreChat: {
        __typename: 'NotFoundError',
        message: 'Deleted chat "c" not found: deleted chats can be restored for 7 days',
      },
    };
    expect(await run(parley, 'ann', `mutation { ${restore} }`)).toEqual(unknown);
    const before = Date.now();
    const deleted = (await run(parley, 'ann', `mutation { ${remove} }`)) as {
      deleteChat: { restorableUntil: string };
    };
    const until = Date.parse(deleted.deleteChat.restorableUntil);
    expect(until).toBeGreaterThanOrEqual(before + 7 * DAY_MS);
    expect(until).toBeLessThanOrEqual(Date.now() + 7 * DAY_MS);
    expect(await run(parley, 'ann', `mutation { ${remove} }`)).toEqual({ deleteChat: { __typename: 'NotFoundError' } });
    for (const userId of ['bob', 'mallory'])
      expect(await run(parley, userId, `mutation { ${restore} }`)).toEqual(unknown);
    const restored = { chat: { id: 'c', title: 'Trip', version: 5 } };
    for (const userId of ['ann', 'local']) {
      expect(await run(parley, userId, `mutation { ${restore} }`)).toMatchObject({ restoreChat: restored });
      restored.chat.version++;
      await run(parley, 'ann', `mutation { ${remove} }`);
    }
  });

  it('keeps its id, which only users that may restore it learn', async () => {
    const parley = await openParley();
    await run(parley, 'ann', `mutation { ${create} ${remove} }`);
    const taken = (reason: string) => ({
      __typename: 'AlreadyExistsError',
      message: `Chat "c" already exists${reason}`,
    });
    const upsert = `upsertChat(input: { id: "c" }) { __typename ... on Error { message } }`;
    for (const [userId, reason] of [
      ['mallory', ''],
      ['ann', ': it was deleted; restore it or delete it permanently'],
      ['local', ': it was deleted; restore it or delete it permanently'],
    ] as const) {
      expect(await run(parley, userId, `mutation { ${create} ${upsert} }`)).toEqual({
        createChat: taken(reason),
        upsertChat: taken(reason),
      });
    }
  });

  it('is removed at once with permanently, before and after its deletion', async () => {
    const parley = await openParley();
    const done = { deleteChat: { __typename: 'DeleteChatPayload', restorableUntil: null } };
    for (const first of ['', remove]) {
      await run(parley, 'ann', `mutation { ${create} ${first} }`);
      expect(await run(parley, 'mallory', `mutation { ${removeForever} }`)).toEqual({
        deleteChat: { __typename: 'NotFoundError' },
      });
      expect(await run(parley, 'ann', `mutation { ${removeForever} }`)).toEqual(done);
      expect(await run(parley, 'ann', `mutation { ${restore} }`)).toMatchObject({
        restoreChat: { __typename: 'NotFoundError' },
      });
      expect(await run(parley, 'ann', list)).toEqual({ deletedChats: { totalCount: 0, edges: [] } });
    }
  });

  test('RECOVERY_DAYS=0 removes chats at once', async () => {
    const parley = await openParley({ recoveryDays: 0 });
    expect(await run(parley, 'ann', '{ viewer { recoveryDays } }')).toEqual({ viewer: { recoveryDays: 0 } });
    expect(await run(parley, 'ann', `mutation { ${create} ${remove} }`)).toMatchObject({
      deleteChat: { restorableUntil: null },
    });
    expect(await run(parley, 'ann', `mutation { ${restore} }`)).toMatchObject({
      restoreChat: { message: 'Deleted chat "c" not found: deleted chats are removed at once' },
    });
    expect(await run(parley, 'ann', `mutation { ${create} }`)).toMatchObject({
      createChat: { __typename: 'CreateChatPayload' },
    });
  });
});

describe('deletedChats', () => {
  it("pages through the viewer's, newest deletion first, and a user's for admins", async () => {
    const parley = await openParley();
    for (const id of ['1', '2', '3']) {
      await run(parley, 'ann', `mutation { createChat(input: { id: "${id}", title: "Nr ${id}" }) { __typename } }`);
      await run(parley, 'ann', `mutation { deleteChat(input: { chatId: "${id}" }) { __typename } }`);
    }
    const page = async (userId: string, args: string) => {
      const { text } = await ask(
        parley,
        userId,
        `{ deletedChats(${args}) { totalCount edges { cursor node { id userId title } } pageInfo { hasNextPage hasPreviousPage } } }`,
        {},
      );
      const { data } = JSON.parse(text) as {
        data: {
          deletedChats: { totalCount: number; edges: { cursor: string; node: { id: string } }[]; pageInfo: object };
        };
      };
      return data.deletedChats;
    };
    const ids = ({ edges }: Awaited<ReturnType<typeof page>>) => edges.map(({ node }) => node.id);
    const all = await page('ann', 'first: 10');
    expect(all).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: false, hasPreviousPage: false } });
    // Deletions of the same millisecond are listed by id.
    expect(ids(all)).toEqual(['3', '2', '1']);
    expect(all.edges[0]).toMatchObject({ node: { userId: 'ann', title: 'Nr 3' } });
    const first = await page('ann', 'first: 2');
    expect([ids(first), first.pageInfo]).toEqual([['3', '2'], { hasNextPage: true, hasPreviousPage: false }]);
    const rest = await page('ann', `first: 2, after: "${first.edges[1]!.cursor}"`);
    expect([ids(rest), rest.pageInfo]).toEqual([['1'], { hasNextPage: false, hasPreviousPage: true }]);
    expect(ids(await page('ann', `last: 1, before: "${rest.edges[0]!.cursor}"`))).toEqual(['2']);
    expect(ids(await page('local', 'first: 10, userId: "ann"'))).toEqual(['3', '2', '1']);
    expect(ids(await page('local', 'first: 10'))).toEqual([]);
    const { text } = await ask(parley, 'bob', '{ deletedChats(userId: "ann") { totalCount } }', {});
    expect(text).toContain("userId: only an admin may list another user's deleted chats");
  });
});

describe('subscriptions', () => {
  it('end with the deletion, and lists show a restored chat again', async () => {
    const parley = await openParley();
    const ann: Pick<Parley, 'post'> = {
      post: (body, headers) => parley.post(body, { ...headers, 'x-user-id': 'ann' }),
    };
    await run(parley, 'ann', `mutation { ${create} }`);
    const changes = await openStream(ann, 'subscription { chatChanges { chatId kind version chat { title } } }', {});
    const events = 'subscription ($after: Int) { chatEvents(chatId: "c", after: $after) { __typename seq } }';
    const log = await openStream(ann, events, { after: 2 });
    await log.take(1);
    await run(parley, 'ann', `mutation { ${remove} }`);
    expect(await log.rest()).toEqual([{ data: { chatEvents: { __typename: 'ChatDeleted', seq: 4 } } }]);
    const removed = { chatId: 'c', kind: 'REMOVED', version: 4, chat: null };
    let change = await changes.next();
    // The bus may report the creation late.
    if (JSON.stringify(change).includes('"kind":"CREATED","version":3')) change = await changes.next();
    expect(change).toEqual({ data: { chatChanges: removed } });
    await run(parley, 'ann', `mutation { ${restore} }`);
    const shown = { chatId: 'c', kind: 'CREATED', version: 4, chat: { title: 'Trip' } };
    expect(await changes.next()).toEqual({ data: { chatChanges: shown } });
    const again = await openStream(ann, events, { after: 3 });
    expect(await again.next()).toEqual({ data: { chatEvents: { __typename: 'ChatRestored', seq: 4 } } });
    await run(parley, 'ann', `mutation { ${remove} }`);
    expect(await again.next()).toMatchObject({ data: { chatEvents: { __typename: 'ChatDeleted', seq: 5 } } });
    expect(await changes.next()).toMatchObject({ data: { chatChanges: { kind: 'REMOVED', version: 5 } } });
    expect(parley.takeUnexpectedErrors()).toEqual([]);
  });
});
