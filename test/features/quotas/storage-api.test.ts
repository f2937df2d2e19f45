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
    const message = 'Chats and files use 1000 of 1000 bytes: delete chats or files, or ask an admin for more';
    expect(await save('ann', 2)).toMatchObject({
      errors: [{ message, path: ['saveMessages'], extensions: { code: 'STORAGE_QUOTA_EXCEEDED' } }],
    });
    expect(await as('ann', STORAGE)).toEqual(storage(1_000, true));
  });

  it('refuses a save into a new chat beyond the quota, and creates no chat', async () => {
    await save('ann', 1_000);
    const message = '{ name: "user", content: { text: "a" } }';
    const refused = await as(
      'ann',
      `mutation { saveMessages(input: { chatId: "new", createChat: {}, messages: [${message}] }) { __typename } }`,
    );
    expect(refused).toMatchObject({ errors: [{ extensions: { code: 'STORAGE_QUOTA_EXCEEDED' } }] });
    expect(await as('ann', '{ chat(id: "new") { id } }')).toEqual({ data: { chat: null } });
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

  describe('contains open drafts', () => {
    const start = (id: string) =>
      as('ann', `mutation { startDraft(input: { chatId: "c", id: "${id}" }) { __typename } }`);
    // JSON has two quotes, and the list a separator.
    const append = (id: string, bytes: number) =>
      as(
        'ann',
        `mutation { appendToDraft(input: { chatId: "c", id: "${id}", offset: 0, chunks: ["${'x'.repeat(bytes - 3)}"] }) { __typename } }`,
      );
    const end = (field: 'finishDraft' | 'discardDraft', id: string, content = '') =>
      as('ann', `mutation { ${field}(input: { chatId: "c", id: "${id}" ${content} }) { __typename } }`);

    it('and refuses another draft and saves while they reach the quota', async () => {
      await start('one');
      await append('one', 600);
      expect(await as('ann', STORAGE)).toEqual(storage(600, false));
      await start('two');
      await append('two', 500);
      expect(await as('ann', STORAGE)).toEqual(storage(1_100, true));
      const refused = {
        errors: [
          {
            message: 'Chats and files use 1100 of 1000 bytes: delete chats or files, or ask an admin for more',
            extensions: { code: 'STORAGE_QUOTA_EXCEEDED' },
          },
        ],
      };
      expect(await start('three')).toMatchObject(refused);
      expect(await save('ann', 2)).toMatchObject(refused);
      await append('two', 500);
      expect((await end('discardDraft', 'two')).errors).toBeUndefined();
      expect((await start('three')).errors).toBeUndefined();
    });

    it('and lets each of them grow and end above the quota', async () => {
      await start('one');
      await start('two');
      expect((await append('one', 1_500)).errors).toBeUndefined();
      expect((await append('two', 1_500)).errors).toBeUndefined();
      for (const id of ['one', 'two']) {
        expect((await end('finishDraft', id, `content: { data: "${'x'.repeat(1_498)}" }`)).errors).toBeUndefined();
      }
      expect(await as('ann', STORAGE)).toEqual(storage(3_000, true));
      expect(await start('three')).toMatchObject({ errors: [{ extensions: { code: 'STORAGE_QUOTA_EXCEEDED' } }] });
    });
  });

  it('contains titles and metadata, which must not grow beyond the quota', async () => {
    const update = (input: string) =>
      as('ann', `mutation { updateChat(input: { chatId: "c", ${input} }) { __typename } }`);
    expect((await update(`title: "${'x'.repeat(200)}"`)).errors).toBeUndefined();
    expect(await as('ann', STORAGE)).toEqual(storage(200, false));
    expect((await update(`metadata: { a: "${'x'.repeat(795)}" }`)).errors).toBeUndefined();
    expect(await as('ann', STORAGE)).toEqual(storage(1_001, true));
    const message = 'Chats and files use 1001 of 1000 bytes: delete chats or files, or ask an admin for more';
    for (const input of [`title: "${'x'.repeat(201)}"`, `metadata: { a: "${'x'.repeat(796)}" }`]) {
      expect(await update(input)).toMatchObject({
        errors: [{ message, path: ['updateChat'], extensions: { code: 'STORAGE_QUOTA_EXCEEDED' } }],
      });
    }
    expect((await update(`title: "${'y'.repeat(100)}"`)).errors).toBeUndefined();
    expect((await update('metadata: {}')).errors).toBeUndefined();
    expect(await as('ann', STORAGE)).toEqual(storage(100, false));
    await as('ann', 'mutation { createChat(input: { id: "d", title: "1234" }) { __typename } }');
    expect(await as('ann', STORAGE)).toEqual(storage(104, false));
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
