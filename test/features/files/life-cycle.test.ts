/** Deletion, transfer and erasure: files stay for those that have them, and others are removed. */
import { describe, expect, it } from 'vitest';
import { command as eraseUser } from '../../../src/features/deletion/erase-command.js';
import { runHere } from '../../cli/run-here.js';
import { tableAt } from '../../support/database/all-rows.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { bearer } from '../../support/server/tokens.js';
import { PNG, sha256, startFileServer, withFile } from './file-server.js';
import { DAY_MS, sweepFiles } from './sweep.js';

const OWN = Buffer.concat([PNG, Buffer.from('of ann')]);
const SHARED = Buffer.concat([PNG, Buffer.from('of both')]);
const UNUSED = Buffer.concat([PNG, Buffer.from('of no message')]);
const reference = (content: Buffer) => `parley:file:${sha256(content)}`;
const hashes = (...contents: Buffer[]) => contents.map(sha256).sort();

/** Ann has a file in the chat "a", one that bob has in "b", too, and one without a message. */
async function annAndBob() {
  const server = await startFileServer();
  const [ann, bob, root] = [await server.as('ann'), await server.as('bob'), await server.as('root', true)];
  await ann.createChat('a');
  await bob.createChat('b');
  for (const content of [OWN, SHARED, UNUSED]) await ann.upload(content);
  await ann.save('a', 'own', withFile(reference(OWN)));
  await ann.save('a', 'shared', withFile(reference(SHARED)));
  await bob.upload(SHARED);
  await bob.save('b', 'his', withFile(reference(SHARED)));
  const { databaseUrl } = server;
  const database = await rawDatabase(databaseUrl);
  const ownersOf = async (content: Buffer) =>
    (
      await database.rows<{ userId: string }>(
        `SELECT "userId" FROM ${tableAt(databaseUrl, 'user_files').sql} WHERE "fileId" = '${sha256(content)}' ORDER BY "userId"`,
      )
    ).map(({ userId }) => userId);
  const sweep = (laterMs?: number) => sweepFiles(databaseUrl, laterMs);
  return { server, ann, bob, root, databaseUrl, ownersOf, sweep };
}

const transfer = `mutation { transferChat(input: { chatId: "a", userId: "bob" }) { __typename } }`;
const deleteChat = (permanently: boolean) =>
  `mutation { deleteChat(input: { chatId: "a", permanently: ${permanently} }) { __typename } }`;
const isReadable = async (user: Awaited<ReturnType<typeof annAndBob>>['ann'], content: Buffer) => {
  const response = await user.get(`/files/${sha256(content)}`);
  return response.status === 200 && sha256(Buffer.from(await response.arrayBuffer())) === sha256(content);
};

describe('files of a deleted chat', () => {
  it('stay for a day, in which their owner can refer to them again', async () => {
    const { ann, sweep, ownersOf } = await annAndBob();
    await ann.ask(deleteChat(true));
    expect(await sweep()).toEqual(hashes(OWN, SHARED, UNUSED));
    expect(await isReadable(ann, OWN)).toBe(false);
    await ann.createChat('again');
    expect(await ann.save('again', 'm', withFile(reference(OWN)))).toMatchObject({ messages: [{ files: [{}] }] });
    expect(await sweep(DAY_MS + 1_000)).toEqual(hashes(OWN, SHARED));
    expect([await ownersOf(OWN), await ownersOf(SHARED)]).toEqual([['ann'], ['bob']]);
    expect(await isReadable(ann, OWN)).toBe(true);
  });

  it('stay unreadable until the chat is restored', async () => {
    const { ann, sweep, ownersOf } = await annAndBob();
    await ann.ask(deleteChat(false));
    expect(await sweep(DAY_MS + 1_000)).toEqual(hashes(OWN, SHARED));
    expect([await ownersOf(OWN), await isReadable(ann, OWN)]).toEqual([['ann'], false]);
    await ann.ask('mutation { restoreChat(input: { chatId: "a" }) { __typename } }');
    expect(await isReadable(ann, OWN)).toBe(true);
  });
});

describe('files of a transferred chat', () => {
  it('belong to the new owner, and stay when the previous one is erased', async () => {
    const { ann, bob, root, server, sweep, ownersOf } = await annAndBob();
    await root.ask(transfer);
    expect([await ownersOf(OWN), await ownersOf(SHARED)]).toEqual([
      ['ann', 'bob'],
      ['ann', 'bob'],
    ]);
    expect(await sweep(DAY_MS + 1_000)).toEqual(hashes(OWN, SHARED));
    expect([await ownersOf(OWN), await ownersOf(SHARED)]).toEqual([['bob'], ['bob']]);
    expect([await isReadable(bob, OWN), await isReadable(ann, OWN)]).toEqual([true, false]);
    await erase(server);
    expect(await sweep()).toEqual(hashes(OWN, SHARED));
    expect(await isReadable(bob, OWN)).toBe(true);
  });
});

describe('files of a chat that is being imported', () => {
  it('stay with their user during an import of any length', async () => {
    const { ann, databaseUrl, sweep, ownersOf } = await annAndBob();
    const database = await rawDatabase(databaseUrl);
    const chats = tableAt(databaseUrl, 'chats').sql;
    const imports = tableAt(databaseUrl, 'chat_imports').sql;
    // Hidden until its last message is written.
    await database.run(`UPDATE ${chats} SET "userId" = '' WHERE "id" = 'a'`);
    await database.run(
      `INSERT INTO ${imports} ("chatId", "userId", "holder", "expiresAt") VALUES ('a', 'ann', 'h', ${Date.now() + 3 * DAY_MS})`,
    );
    expect(await sweep(DAY_MS + 1_000)).toEqual(hashes(OWN, SHARED));
    expect(await ownersOf(OWN)).toEqual(['ann']);
    await database.run(`DELETE FROM ${imports}`);
    await database.run(`UPDATE ${chats} SET "userId" = 'ann' WHERE "id" = 'a'`);
    expect(await isReadable(ann, OWN)).toBe(true);
  });
});

/** DELETE /users, as an admin. */
async function erase({ at }: { at: (path: string) => string }): Promise<void> {
  const response = await fetch(at('/users?userId=ann'), { method: 'DELETE', headers: await bearer('root', true) });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
}

describe('files of an erased user', () => {
  it.each([
    ['DELETE /users', ({ server }: Awaited<ReturnType<typeof annAndBob>>) => erase(server)],
    [
      'npm run erase-user',
      async ({ databaseUrl }: Awaited<ReturnType<typeof annAndBob>>) => {
        const environment = { DATABASE_URL: databaseUrl };
        const { code, out } = await runHere('erase-user', eraseUser, ['--user', 'ann'], { environment });
        expect([code, out]).toEqual([0, expect.arrayContaining(['  user_files                3'])]);
      },
    ],
  ])('are removed with the next sweep unless others have them: %s', async (_, eraseAnn) => {
    const owners = await annAndBob();
    const { ann, bob, sweep, ownersOf } = owners;
    await eraseAnn(owners);
    expect([await ownersOf(OWN), await ownersOf(SHARED), await ownersOf(UNUSED)]).toEqual([[], ['bob'], []]);
    expect([await isReadable(ann, OWN), await isReadable(bob, SHARED)]).toEqual([false, true]);
    expect(await sweep()).toEqual(hashes(SHARED));
    expect(await isReadable(bob, SHARED)).toBe(true);
  });
});
