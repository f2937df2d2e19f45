/**
 * A server of the last released schema (old-server.tar.gz, see scripts/packing/pack-old-server.mjs), which runs during
 * the migration of the database by the current version, and next to its servers afterwards.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { allRowsAt } from '../support/database/all-rows.js';
import { bundled, provider } from '../support/database/migrations.js';
import { startServer, type ServerProcess } from '../support/server/server-process.js';
import { expectSoundDatabase } from '../support/database/sound-database.js';
import { temporaryDatabaseUrl } from '../support/database/temporary-database.js';
import { unpackOldServer } from './old-server.js';

const ROUNDS_BESIDE_NEW_SERVER = 20;

/** Changes its own chat and a chat shared by all writers in each way, round by round. */
class Writer {
  readonly acknowledged: string[] = [];
  rounds = 0;

  constructor(
    private readonly server: ServerProcess,
    readonly name: string,
  ) {}

  async run(isOver: () => boolean): Promise<void> {
    await this.#change('createChat', `id: "${this.name}"`);
    for (; !isOver(); this.rounds++) await this.#round(`${this.name}-${this.rounds}`);
  }

  async #round(id: string): Promise<void> {
    const own = `chatId: "${this.name}"`;
    const messages = (...ids: string[]) =>
      `messages: [${ids.map((each) => `{ id: "${each}", name: "user", content: { text: "word ${each}" } }`).join(', ')}]`;
    await this.#change('saveMessages', `${own}, ${messages(id, `${id}-b`)}`);
    await this.#change('saveMessages', `chatId: "shared", ${messages(`${id}-shared`)}`);
    this.acknowledged.push(id, `${id}-b`, `${id}-shared`);
    if (this.rounds % 5 > 0) return;
    await this.#change('editMessage', `${own}, messageId: "${id}", id: "${id}-edit", content: { text: "edit" }`);
    await this.#change('createCheckpoint', `${own}, name: "${id}", messageId: "${id}"`);
    await this.#change('btw', `${own}, branchName: "${id}"`);
    await this.#change('startDraft', `${own}, id: "${id}-draft"`);
    await this.#change('appendToDraft', `${own}, id: "${id}-draft", offset: 0, chunks: ["text"]`);
    await this.#change('finishDraft', `${own}, id: "${id}-draft"`);
    await this.#change('createChat', `id: "${id}-deleted"`);
    await this.#change('saveMessages', `chatId: "${id}-deleted", ${messages(`${id}-deleted`)}`);
    // Its input had another name in the old contract.
    const argument = this.name.startsWith('old') ? 'id' : 'chatId';
    await this.#change('deleteChat', `${argument}: "${id}-deleted"`);
    this.acknowledged.push(`${id}-edit`, `${id}-draft`);
  }

  async #change(field: string, input: string): Promise<void> {
    const answer = await this.server.post(`mutation { result: ${field}(input: { ${input} }) { __typename } }`);
    const result = { __typename: expect.stringMatching(/Payload$/) as string };
    expect(answer, `${this.name}: ${field}`).toEqual({ data: { result } });
  }
}

async function expectReady({ url }: ServerProcess): Promise<void> {
  const response = await fetch(new URL('/health/ready', url));
  expect([response.status, await response.json()]).toMatchObject([200, { migrations: 'applied' }]);
}

/** The old server deletes a chat with rows that it does not know: members, shares, sources, and a fork of it. */
async function deleteWithNewRows(old: ServerProcess, present: ServerProcess): Promise<void> {
  const change = async (server: ServerProcess, field: string, input: string) => {
    const answer = await server.post(`mutation { result: ${field}(input: { ${input} }) { __typename } }`);
    expect(answer, field).toEqual({ data: { result: { __typename: expect.stringMatching(/Payload$/) as string } } });
  };
  await change(present, 'createChat', 'id: "origin"');
  const messages = ['1', '2', '3'].map((n) => `{ id: "origin-${n}", name: "user", content: { text: "${n}" } }`);
  await change(present, 'saveMessages', `chatId: "origin", messages: [${messages.join(', ')}]`);
  await change(present, 'forkChat', 'chatId: "origin", messageId: "origin-1", id: "fork"');
  const merge = '{ name: "user", content: { text: "4" }, sourceIds: ["origin-1"] }';
  await change(present, 'saveMessages', `chatId: "origin", messages: [${merge}]`);
  await change(present, 'addMember', 'chatId: "origin", userId: "bob", role: WRITER');
  await change(present, 'createShare', 'chatId: "origin"');
  for (const chatId of ['origin', 'fork']) await change(old, 'deleteChat', `id: "${chatId}"`);
}

const deletedBy = ({ acknowledged }: Writer) =>
  acknowledged.flatMap((id) => (id.endsWith('-draft') ? [id.replace(/draft$/, 'deleted')] : []));

const CHATS = `{
  chats(first: 10) { edges { node {
    id version messageCount roots { id } branches(first: 500) { edges { node { name } } } activeBranch { chain { id text } }
  } } }
}`;

/** A page of one element of each kind of list, of the chat of a writer. @param page its arguments */
const LISTS: Record<string, (page: string) => string> = {
  chats: (page) => `{ chats(${page}) { edges { cursor node { id } } } }`,
  users: (page) => `{ users(${page}) { edges { cursor node { id } } } }`,
  search: (page) => `{ search(query: "word", ${page}) { edges { cursor node { message { id } } } } }`,
  ...Object.fromEntries(
    ['branches', 'checkpoints', 'messages'].map((list) => [
      list,
      (page: string) => `{ chat(id: "old 1") { ${list}(${page}) { edges { cursor node { id } } } } }`,
    ]),
  ),
  events: (page) => `{ chat(id: "old 1") { events(${page}) { edges { cursor node { seq } } } } }`,
  'search in a chat': (page) =>
    `{ chat(id: "old 1") { search(query: "word", ${page}) { edges { cursor node { message { id } } } } } }`,
  'messages of a branch': (page) =>
    `{ chat(id: "old 1") { activeBranch { messages(${page}) { edges { cursor node { id } } } } } }`,
  children: (page) => `{ message(id: "old 1-0") { children(${page}) { edges { cursor node { id } } } } }`,
  path: (page) => `{ message(id: "old 1-0-b") { path(${page}) { edges { cursor node { id } } } } }`,
};

/** A cursor of the old server names the same place for the present one. */
async function expectValidCursors(old: ServerProcess, present: ServerProcess): Promise<void> {
  for (const [name, list] of Object.entries(LISTS)) {
    const first = JSON.stringify(await old.post(list('first: 1')));
    const [, cursor] = /"cursor":"([^"]+)"/.exec(first) ?? [];
    expect(cursor, `${name}: ${first}`).toBeDefined();
    const next = list(`first: 1, after: "${cursor}"`);
    const [seenByOld, seenByPresent] = [await old.post(next), await present.post(next)];
    expect(seenByOld.errors, name).toBeUndefined();
    expect(seenByPresent, name).toEqual(seenByOld);
  }
}

it('lacks the newest migration: pack the server again after a release with migrations', () => {
  const old = readdirSync(join(unpackOldServer(), 'prisma/migrations', provider)).filter((name) => /^\d/.test(name));
  expect(old.length).toBeLessThan(bundled.length);
  expect(old.sort()).toEqual(bundled.slice(0, old.length).map(({ name }) => name));
});

it('writes during the migration and next to the new server, and no acknowledged write is lost', async () => {
  const settings = { DATABASE_URL: temporaryDatabaseUrl(), MIGRATE_ON_START: 'true' } as const;
  const old = await startServer(settings, {}, onTestFinished, unpackOldServer());
  await old.post('mutation { createChat(input: { id: "shared" }) { __typename } }');
  const writers = [new Writer(old, 'old 1'), new Writer(old, 'old 2')];
  let isOver = false;
  const running = writers.map((writer) => writer.run(() => isOver));
  const reached = async (rounds: number) => {
    const all = expect.poll(() => Math.min(...writers.map((writer) => writer.rounds)));
    await Promise.race([all.toBeGreaterThanOrEqual(rounds), Promise.all(running)]);
  };
  await reached(3);

  const present = await startServer(settings);
  await expectReady(old);
  await deleteWithNewRows(old, present);
  writers.push(new Writer(present, 'new 1'), new Writer(present, 'new 2'));
  running.push(...writers.slice(2).map((writer) => writer.run(() => isOver)));
  await reached(Math.max(...writers.map(({ rounds }) => rounds)) + ROUNDS_BESIDE_NEW_SERVER);
  isOver = true;
  await Promise.all(running);

  const [seenByOld, seenByPresent] = await Promise.all([old.post(CHATS), present.post(CHATS)]);
  expect(seenByOld.errors).toBeUndefined();
  expect(seenByPresent).toEqual(seenByOld);
  await expectValidCursors(old, present);
  for (const server of [old, present]) {
    await expectReady(server);
    server.kill('SIGTERM');
  }
  for (const { code } of await Promise.all([old.exited, present.exited])) expect(code).toBe(0);

  const { messages, chats } = await allRowsAt(settings.DATABASE_URL);
  const acknowledged = writers.flatMap((writer) => writer.acknowledged);
  // Chats that the present server can restore; each has a message with its id. The old one removes chats at once.
  const deleted = chats.flatMap(({ id, userId }) => (userId === '' ? [id] : [])).sort();
  expect(deleted).toEqual(writers.slice(2).flatMap(deletedBy).sort());
  expect(messages.map(({ id }) => id).sort()).toEqual([...acknowledged, ...deleted].sort());
  expect(chats.map(({ id }) => id).sort()).toEqual(['shared', ...writers.map(({ name }) => name), ...deleted].sort());
  await expectSoundDatabase(settings.DATABASE_URL);
});
