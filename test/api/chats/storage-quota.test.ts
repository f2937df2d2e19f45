/** Storage quotas in the API. */
import { beforeEach, describe, expect, it } from 'vitest';
import { openParley, type Parley } from '../../support/server/parley.js';

let parley: Parley;
beforeEach(async () => {
  parley = await openParley({ storageQuotaBytes: 1_000 });
});

async function as(userId: string, document: string) {
  const response = await parley.post(JSON.stringify({ query: document }), { 'x-user-id': userId });
  return (await response.json()) as {
    data: Record<string, unknown>;
    errors?: { message: string; extensions: object }[];
  };
}

const save = (userId: string, bytes: number) =>
  as(
    userId,
    `mutation { saveMessages(input: { chatId: "c", messages: [{ name: "user", content: { data: "${'x'.repeat(bytes - 2)}" } }] }) { __typename } }`,
  );
const STORAGE = '{ viewer { storage { usedBytes quotaBytes isNearQuota } } }';
const storage = (usedBytes: number, isNearQuota: boolean) => ({
  data: { viewer: { storage: { usedBytes, quotaBytes: 1_000, isNearQuota } } },
});
const set = async (userId: string, input: string) =>
  (
    await as(
      userId,
      `mutation { setStorageQuota(input: { ${input} }) {
        ... on SetStorageQuotaPayload { userId storage { usedBytes quotaBytes } } ... on Error { code message }
      } }`,
    )
  ).data['setStorageQuota'];

describe('the storage of a user', () => {
  beforeEach(async () => {
    await as('ann', 'mutation { createChat(input: { id: "c" }) { __typename } }');
    await as('ann', 'mutation { addMember(input: { chatId: "c", userId: "bob", role: WRITER }) { __typename } }');
  });

  it('is shown to the user, with a warning at 80 percent, and refuses saves beyond the quota', async () => {
    expect(await as('ann', STORAGE)).toEqual(storage(0, false));
    await save('ann', 799);
    expect(await as('ann', STORAGE)).toEqual(storage(799, false));
    await save('ann', 201);
    expect(await as('ann', STORAGE)).toEqual(storage(1_000, true));
    const message = 'Messages and files use 1000 of 1000 bytes: delete chats or files, or ask an admin for more';
    expect(await save('ann', 2)).toMatchObject({
      errors: [{ message, path: ['saveMessages'], extensions: { code: 'STORAGE_QUOTA_EXCEEDED' } }],
    });
    expect(await as('ann', STORAGE)).toEqual(storage(1_000, true));
  });

  it('is that of the owner, whose numbers members do not see', async () => {
    await save('bob', 1_000);
    expect(await as('bob', STORAGE)).toEqual(storage(0, false));
    const message = 'The owner of the chat has no storage left: delete chats or files, or ask an admin for more';
    expect(await save('bob', 2)).toMatchObject({
      errors: [{ message, extensions: { code: 'STORAGE_QUOTA_EXCEEDED' } }],
    });
  });

  it('gets a quota from admins, which see the storage of all users', async () => {
    await save('ann', 1_000);
    expect(await set('local', 'userId: "ann", bytes: 1002')).toEqual({
      userId: 'ann',
      storage: { usedBytes: 1_000, quotaBytes: 1_002 },
    });
    expect((await save('ann', 2)).errors).toBeUndefined();
    expect((await as('local', '{ users { edges { node { id storage { usedBytes quotaBytes } } } } }')).data).toEqual({
      users: { edges: [{ node: { id: 'ann', storage: { usedBytes: 1_002, quotaBytes: 1_002 } } }] },
    });
    expect(await set('local', 'userId: "ann"')).toEqual({
      userId: 'ann',
      storage: { usedBytes: 1_002, quotaBytes: 1_000 },
    });
  });

  it.each([
    ['ann', 'bytes: 9', 'only an admin may set storage quotas'],
    ['local', 'bytes: 1.5', 'bytes must be a whole number from 0 to 9007199254740991, not 1.5'],
    ['local', 'bytes: -1', 'bytes must be a whole number from 0 to 9007199254740991, not -1'],
  ])('gets none from %s with %s', async (userId, bytes, message) => {
    expect(await set(userId, `userId: "ann", ${bytes}`)).toEqual({ code: 'INVALID_INPUT', message });
  });
});

it('a server without quotas sets none, and shows the used bytes', async () => {
  parley = await openParley();
  expect(await set('local', 'userId: "ann", bytes: 9')).toMatchObject({
    message: 'the server has no storage quotas: set STORAGE_QUOTA_BYTES first',
  });
  expect(await as('ann', STORAGE)).toEqual({
    data: { viewer: { storage: { usedBytes: 0, quotaBytes: null, isNearQuota: false } } },
  });
});
