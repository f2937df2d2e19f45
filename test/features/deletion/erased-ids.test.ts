/** The erasure of a user, against every column that can hold a user's id, the files and the unfinished uploads. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { command as check } from '../../../src/features/maintenance/check-command.js';
import { command as importCommand } from '../../../src/features/imports/command.js';
import { userIdColumns } from '../../../src/conversation/table-rules.js';
import { runHere } from '../../cli/run-here.js';
import { breakOff } from '../files/break-off.js';
import { sha256, startFileServer, withFile } from '../files/file-server.js';
import { sweepFiles } from '../files/sweep.js';
import { WEBHOOK } from '../../support/chats/belongings.js';
import { tableAt } from '../../support/database/all-rows.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { storedText } from '../../support/database/stored-text.js';
import { bearer } from '../../support/server/tokens.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const ERIN = 'erin-of-the-tests';
/** Text, and bytes in the full-text index of SQLite. */
const FORMS = [ERIN, Buffer.from(ERIN).toString('hex')];

const COLUMNS = (['chat', 'remove', 'replace', 'clear', 'payload'] as const).flatMap(userIdColumns);

/** A server whose temporary files are all in one folder. */
async function serverInFolder() {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = await startFileServer({ webhooks: [WEBHOOK], storageQuotaBytes: 1e9, log: () => {} });
  const contents = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^parley\.db(-\w+)?$/.test(entry.name))
      .map((entry) => entry.name + readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  return { ...server, contents };
}
type Server = Awaited<ReturnType<typeof serverInFolder>>;
type User = Awaited<ReturnType<Server['as']>>;

const document = (fields: string) => `mutation { ${fields} }`;
const done = (field: string, input: string) => `${field}(input: { ${input} }) { __typename ... on Error { message } }`;

/** Runs mutations, one operation each. @throws Error for the first that fails */
async function all(user: User, mutations: readonly string[]): Promise<void> {
  for (const mutation of mutations) {
    const data: Record<string, { message?: string }> = await user.ask(document(mutation));
    for (const { message } of Object.values(data))
      if (message !== undefined) throw new Error(`${mutation}: ${message}`);
  }
}

const text = (id: string, by: string) => `messages: [{ id: "${id}", name: "user", content: { text: "${by} says" } }]`;

/** Erin, an admin, leaves her id in every column: in her own chats, in chats of others, and in their copies. */
async function erinAndBob(server: Server): Promise<User> {
  const [erin, bob] = [await server.as(ERIN, true), await server.as('bob')];
  const picture = `picture of ${ERIN}`;
  const { origin } = new URL(server.url);
  const token = JSON.stringify({ token: erin.token });
  const headers = { 'content-type': 'application/json', origin };
  expect((await fetch(server.at('/session'), { method: 'POST', headers, body: token })).status).toBe(200);
  await erin.createChat('own');
  await erin.createChat('private');
  await erin.upload(picture, { mediaType: 'text/plain' });
  const metadata = { usage: { inputTokens: 1 }, by: ERIN };
  await erin.save('private', 'private-1', { ...withFile(`parley:file:${sha256(picture)}`), metadata });
  await all(erin, [
    done('saveMessages', `chatId: "own", ${text('own-1', 'Somebody')}`),
    done('updateChat', `chatId: "own", title: "Of ${ERIN}", metadata: { by: "${ERIN}" }`),
    done('createAccessToken', `name: "script"`),
    done('createShare', `chatId: "own", title: "${ERIN}"`),
    done('createCheckpoint', `chatId: "own", name: "${ERIN}"`),
    done('startDraft', `chatId: "own", id: "own-draft"`),
    done('addMember', `chatId: "own", userId: "bob", role: READER`),
    ...['deleted', 'removed', 'given'].flatMap((id) => [
      done('createChat', `id: "${id}"`),
      done('saveMessages', `chatId: "${id}", ${text(`${id}-1`, id === 'given' ? 'Somebody' : ERIN)}`),
    ]),
    done('deleteChat', `chatId: "deleted"`),
    done('deleteChat', `chatId: "removed", permanently: true`),
    done('transferChat', `chatId: "given", userId: "bob"`),
    done('setRetention', `userId: "${ERIN}", days: 90`),
    done('setStorageQuota', `userId: "${ERIN}", bytes: 1000000`),
  ]);
  await bob.createChat('his');
  await bob.createChat('held');
  await all(bob, [done('addMember', `chatId: "his", userId: "${ERIN}", role: WRITER`)]);
  await all(erin, [
    done('saveMessages', `chatId: "his", ${text('his-1', 'Somebody')}`),
    done('addMember', `chatId: "his", userId: "carol", role: READER`),
    done('btw', `chatId: "his"`),
    done('startDraft', `chatId: "his", id: "his-draft"`),
    done('stopDraft', `chatId: "his", id: "his-draft"`),
    done('setLegalHold', `chatId: "held", reason: "case"`),
  ]);
  await all(bob, [
    done('forkChat', `chatId: "his", messageId: "his-1", id: "path"`),
    done('forkChat', `chatId: "his", wholeGraph: true, id: "graph"`),
    done('forkChat', `chatId: "path", id: "moved"`),
    done('forkChat', `chatId: "path", id: "hidden"`),
    done('deleteChat', `chatId: "hidden"`),
    done('forkChat', `chatId: "own", id: "of-own", title: "Copy"`),
  ]);
  const file = join(temporaryFolder(), 'moved.jsonl');
  writeFileSync(file, await (await bob.get('/export?chatId=moved')).text());
  await all(bob, [done('deleteChat', `chatId: "moved", permanently: true`)]);
  // An import of an admin keeps the authors of the file.
  const environment = { DATABASE_URL: server.databaseUrl };
  expect(await runHere('import', importCommand, [file], { environment })).toMatchObject({ code: 0 });
  rmSync(file);
  return bob;
}

const erase = async ({ at }: Pick<Server, 'at'>) =>
  fetch(at(`/users?userId=${ERIN}`), { method: 'DELETE', headers: await bearer('root', true) });

it('leaves no id of the user in any column, file or unfinished upload', async () => {
  const server = await serverInFolder();
  const bob = await erinAndBob(server);
  const offset = await breakOff(server, await server.as(ERIN), `unfinished by ${ERIN}`);
  const { databaseUrl, contents } = server;
  const database = await rawDatabase(databaseUrl);
  const columnsWithId = [];
  for (const each of COLUMNS) {
    const rows = await database.rows<{ value: string | null }>(
      `SELECT "${each.column}" AS "value" FROM ${tableAt(databaseUrl, each.table).sql}`,
    );
    if (rows.some(({ value }) => value?.includes(ERIN) === true)) columnsWithId.push(each);
  }
  expect(columnsWithId).toEqual(COLUMNS);
  expect(contents().join()).toContain(`unfinished by ${ERIN}`);

  expect(await (await erase(server)).text()).toContain('"erased"');

  for (const [table, rows] of await storedText(databaseUrl)) {
    for (const form of FORMS) expect([table, rows.includes(form)]).toEqual([table, false]);
  }
  expect(await offset()).toBe(0);
  await sweepFiles(databaseUrl);
  expect(contents().filter((content) => content.includes(ERIN))).toEqual([]);
  const exported = await (await bob.get('/export')).text();
  expect(exported).toContain('"createdBy":"erased"');
  expect(exported).not.toContain(ERIN);
  const author =
    '{ chat(id: "path") { message(id: "none") { id } activeBranch { messages { edges { node { createdBy } } } } } }';
  expect(JSON.stringify(await bob.ask(author))).toContain('"createdBy":"erased"');
  const { code, error } = await runHere('check', check, [], { environment: { DATABASE_URL: databaseUrl } });
  expect([code, error]).toEqual([0, []]);
  expect([...server.unexpectedErrors.values()]).toEqual([]);
});

it('is refused while a hold is on a fork that names the user', async () => {
  const server = await startFileServer({ log: () => {} });
  const [erin, bob, root] = [await server.as(ERIN), await server.as('bob'), await server.as('root', true)];
  await bob.createChat('his');
  await all(bob, [done('addMember', `chatId: "his", userId: "${ERIN}", role: WRITER`)]);
  await all(erin, [done('saveMessages', `chatId: "his", ${text('his-1', 'Somebody')}`)]);
  await all(bob, [done('forkChat', `chatId: "his", id: "fork"`)]);
  await all(root, [done('setLegalHold', `chatId: "fork", reason: "case"`)]);
  const answer = await erase(server);
  expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('LEGAL_HOLD')]);
});
