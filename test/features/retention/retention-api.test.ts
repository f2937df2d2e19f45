/** Legal holds and retention in the API. */
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyDatabaseUrl } from '../../support/database/temporary-database.js';
import { openParley, type Parley } from '../../support/server/parley.js';

let parley: Parley;
beforeEach(async () => {
  parley = await openParley({ databaseUrl: emptyDatabaseUrl() });
});

async function as(userId: string, document: string): Promise<Record<string, unknown> | string> {
  const response = await parley.post(JSON.stringify({ query: document }), { 'x-user-id': userId });
  const { data, errors } = (await response.json()) as { data: Record<string, unknown>; errors?: { message: string }[] };
  return errors?.[0]?.message ?? data;
}

const create = (userId: string, id: string) =>
  as(userId, `mutation { createChat(input: { id: "${id}" }) { __typename } }`);
const FIELDS = '__typename ... on Error { code message }';
const setHold = (userId: string, target: string) =>
  as(userId, `mutation { setLegalHold(input: { ${target}, reason: "case 7" }) { ${FIELDS} } }`);
const HELD = {
  __typename: 'LegalHoldError',
  code: 'LEGAL_HOLD',
  message: 'Chat "a" is under a legal hold and cannot be deleted: an admin must lift the hold first',
};

describe('a legal hold', () => {
  it('refuses deletion and transfer, and is shown to admins only', async () => {
    await create('ann', 'a');
    expect(await setHold('local', 'userId: "ann"')).toEqual({ setLegalHold: { __typename: 'SetLegalHoldPayload' } });
    const remove = (more: string) => as('ann', `mutation { deleteChat(input: { chatId: "a" ${more} }) { ${FIELDS} } }`);
    expect(await remove('')).toEqual({ deleteChat: HELD });
    expect(await remove('permanently: true')).toEqual({ deleteChat: HELD });
    const transfer = await as(
      'local',
      `mutation { transferChat(input: { chatId: "a", userId: "bob" }) { ${FIELDS} } }`,
    );
    expect(transfer).toMatchObject({ transferChat: { code: 'LEGAL_HOLD' } });

    const hold = { chatId: null, userId: 'ann', reason: 'case 7', createdBy: 'local' };
    const fields = 'legalHold { chatId userId reason createdBy }';
    expect(await as('local', `{ chat(id: "a") { ${fields} } }`)).toEqual({ chat: { legalHold: hold } });
    expect(await as('local', `{ users(first: 9) { edges { node { ${fields} } } } }`)).toEqual({
      users: { edges: [{ node: { legalHold: hold } }] },
    });
    expect(await as('ann', `{ chat(id: "a") { ${fields} } }`)).toEqual({ chat: { legalHold: null } });
    expect(await as('ann', '{ legalHolds { edges { cursor } } }')).toBe(
      'legalHolds: only an admin may list legal holds',
    );
  });

  it('is on the deleted chat, too, and listed in pages', async () => {
    await create('ann', 'a');
    await as('ann', 'mutation { deleteChat(input: { chatId: "a" }) { __typename } }');
    for (const target of ['chatId: "a"', 'userId: "b"', 'userId: "c"']) await setHold('local', target);
    const deleted = await as('local', '{ deletedChats(userId: "ann") { edges { node { legalHold { chatId } } } } }');
    expect(deleted).toEqual({ deletedChats: { edges: [{ node: { legalHold: { chatId: 'a' } } }] } });
    const page = (args: string) =>
      as('local', `{ legalHolds(${args}) { edges { node { chatId userId } } pageInfo { endCursor hasNextPage } } }`);
    const first = await page('first: 2');
    expect(first).toMatchObject({
      legalHolds: {
        edges: [{ node: { chatId: 'a', userId: null } }, { node: { chatId: null, userId: 'b' } }],
        pageInfo: { hasNextPage: true },
      },
    });
    const { endCursor } = (first as { legalHolds: { pageInfo: { endCursor: string } } }).legalHolds.pageInfo;
    expect(await page(`first: 2, after: "${endCursor}"`)).toMatchObject({
      legalHolds: { edges: [{ node: { userId: 'c' } }], pageInfo: { hasNextPage: false } },
    });
  });

  it.each([
    ['ann', 'userId: "ann"', 'only an admin may set and lift legal holds'],
    ['local', 'userId: "ann", chatId: "a"', 'Exactly one of chatId and userId is required'],
    ['local', 'chatId: null', 'Exactly one of chatId and userId is required'],
    ['local', 'chatId: "none"', 'Chat "none" not found'],
  ])('of %s on %s is refused', async (userId, target, message) => {
    expect(await setHold(userId, target)).toMatchObject({ setLegalHold: { message } });
  });

  it('is lifted once', async () => {
    await setHold('local', 'userId: "ann"');
    const lift = () => as('local', `mutation { liftLegalHold(input: { userId: "ann" }) { ${FIELDS} } }`);
    expect(await lift()).toEqual({ liftLegalHold: { __typename: 'LiftLegalHoldPayload' } });
    expect(await lift()).toMatchObject({
      liftLegalHold: { code: 'NOT_FOUND', message: 'User "ann" has no legal hold' },
    });
  });
});

describe('the retention of a user', () => {
  const set = (userId: string, input: string) =>
    as(userId, `mutation { setRetention(input: { ${input} }) { ${FIELDS} ... on SetRetentionPayload { userId } } }`);

  it('is set by the user and by admins', async () => {
    expect(await set('ann', 'days: 90')).toMatchObject({ setRetention: { userId: 'ann' } });
    expect(await as('ann', '{ viewer { retention { days ownDays serverDays } } }')).toEqual({
      viewer: { retention: { days: 90, ownDays: 90, serverDays: null } },
    });
    expect(await set('local', 'userId: "ann"')).toMatchObject({ setRetention: { userId: 'ann' } });
    expect(await as('ann', '{ viewer { retention { days } } }')).toEqual({ viewer: { retention: { days: null } } });
  });

  it.each([
    ['days: 0', 'days must be 1 to 36500, not 0'],
    ['days: 36501', 'days must be 1 to 36500, not 36501'],
    ['days: 1, userId: "bob"', 'userId: only an admin may set the retention of another user'],
  ])('with %s is refused', async (input, message) => {
    expect(await set('ann', input)).toMatchObject({ setRetention: { code: 'INVALID_INPUT', message } });
  });
});
