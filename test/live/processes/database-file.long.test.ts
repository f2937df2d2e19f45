/** A SQLite file that is moved, replaced or damaged while a server runs, and restored. */
import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { startConfigured, type ConfiguredServer } from '../../support/server/configured-server.js';
import { connectWebSocket } from '../../support/server/raw-websocket.js';
import { expectSoundDatabase } from '../../support/database/sound-database.js';
import { temporaryFile } from '../../support/temporary-folder.js';

const SAVE = `mutation ($id: ID!, $text: String!) {
  saveMessages(input: { chatId: "c", messages: [{ id: $id, name: "user", content: { text: $text } }] }) { __typename }
}`;
const READ = '{ chat(id: "c") { activeBranch { chain { id } } } }';
const UNAVAILABLE = ['DATABASE_UNAVAILABLE'];

const health = async ({ url }: ConfiguredServer, which: 'live' | 'ready') =>
  (await fetch(new URL(`/health/${which}`, url))).status;

/** The data of a response, or the codes of its errors. */
async function answerOf(server: ConfiguredServer, query: string, variables?: object): Promise<unknown> {
  const { data, errors } = await server.post(query, variables);
  return errors?.map(({ extensions }) => extensions?.['code']) ?? data;
}

/** Runs statements as another process, without leaving files. */
function runOn(file: string, ...statements: string[]): void {
  const database = new Database(file);
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** A server with a chat whose last message is only in the write-ahead log. */
async function startWithMessages() {
  const file = temporaryFile();
  const server = await startConfigured({ DATABASE_URL: `file:${file}` });
  await server.post('mutation { createChat(input: { id: "c" }) { __typename } }');
  const saved: string[] = [];
  const save = async (id: string) => {
    const answer = await answerOf(server, SAVE, { id, text: 'x'.repeat(50_000) });
    if (!Array.isArray(answer)) saved.push(id);
    return answer;
  };
  for (let n = 0; n < 20; n++) await save(`m${n}`);
  runOn(file, 'PRAGMA wal_checkpoint(TRUNCATE)');
  await save('in the log');
  expect(saved).toHaveLength(21);
  const becomesReady = () => expect.poll(() => health(server, 'ready')).toBe(200);
  const ids = async () => {
    const { chat } = (await answerOf(server, READ)) as { chat: { activeBranch: { chain: { id: string }[] } } };
    return chat.activeBranch.chain.map(({ id }) => id);
  };
  await becomesReady();
  return { file, server, save, saved, ids, becomesReady };
}

const ENDS = ['', '-wal', '-shm'];
const backUp = (file: string) => runOn(file, `VACUUM INTO '${file}.backup'`);
const restore = (file: string) => renameSync(`${file}.backup`, file);

/** Faults of the file; each returns a function that restores it with all acknowledged writes. */
const FAULTS: Record<string, (file: string) => () => void> = {
  'is moved away'(file) {
    renameSync(file, `${file}.away`);
    return () => renameSync(`${file}.away`, file);
  },
  'is moved away with its log'(file) {
    for (const end of ENDS) renameSync(file + end, `${file}.away${end}`);
    return () => {
      for (const end of ENDS) if (existsSync(`${file}.away${end}`)) renameSync(`${file}.away${end}`, file + end);
    };
  },
  'is deleted'(file) {
    backUp(file);
    rmSync(file);
    return () => restore(file);
  },
  'is deleted with its log'(file) {
    backUp(file);
    for (const end of ENDS) rmSync(file + end);
    return () => restore(file);
  },
  'is replaced by something else'(file) {
    backUp(file);
    writeFileSync(`${file}.else`, 'x'.repeat(100_000));
    renameSync(`${file}.else`, file);
    return () => restore(file);
  },
  'is cut'(file) {
    backUp(file);
    truncateSync(file, 8_192);
    return () => restore(file);
  },
  'is cut, and written anew'(file) {
    backUp(file);
    truncateSync(file, 8_192);
    return () => copyFileSync(`${file}.backup`, file);
  },
  'is emptied'(file) {
    backUp(file);
    truncateSync(file, 0);
    return () => restore(file);
  },
  'is overwritten'(file) {
    backUp(file);
    writeFileSync(file, 'x'.repeat(statSync(file).size));
    return () => restore(file);
  },
};

it.each(Object.entries(FAULTS))(
  'a file that %s: nothing is acknowledged, readiness fails, and the server recovers with the file',
  async (_, breakFile) => {
    const { file, server, save, saved, ids, becomesReady } = await startWithMessages();
    const undo = breakFile(file);
    expect(await save('after')).toEqual(UNAVAILABLE);
    expect(await health(server, 'ready')).toBe(503);
    expect(await health(server, 'live')).toBe(200);
    expect(await answerOf(server, READ)).toEqual(UNAVAILABLE);
    await expect.poll(() => server.log()).toContain('Reopening the database failed');
    expect(await save('later')).toEqual(UNAVAILABLE);
    undo();
    await becomesReady();
    await save('back');
    expect(saved.at(-1)).toBe('back');
    // Unacknowledged writes may have been saved, too.
    expect((await ids()).filter((id) => id !== 'after')).toEqual(saved);
    await server.stop();
    await expectSoundDatabase(`file:${file}`);
  },
);

it.each(['is moved away', 'is cut', 'is overwritten'])(
  'readiness detects without requests that a file %s',
  async (fault) => {
    const { file, server, save } = await startWithMessages();
    FAULTS[fault]!(file);
    expect(await health(server, 'ready')).toBe(503);
    expect(await save('after')).toEqual(UNAVAILABLE);
  },
);

it.each(['-wal', '-shm'])('nothing is lost when a file next to the database is deleted: %s', async (end) => {
  const { file, save, saved, ids, becomesReady } = await startWithMessages();
  rmSync(file + end);
  expect(await save('after')).toEqual(UNAVAILABLE);
  await becomesReady();
  await save('back');
  expect(saved.at(-1)).toBe('back');
  expect((await ids()).filter((id) => id !== 'after')).toEqual(saved);
  const other = new Database(file);
  expect(other.prepare('SELECT count(*) AS n FROM messages').get()).toEqual({ n: (await ids()).length });
  other.close();
});

it('a file that VACUUM has shrunk keeps its data', async () => {
  const { file, server, save, ids, becomesReady } = await startWithMessages();
  const empty = 'PRAGMA wal_checkpoint(TRUNCATE)';
  runOn(file, 'CREATE TABLE ballast AS SELECT zeroblob(1000000) AS b', 'DROP TABLE ballast', empty);
  await becomesReady();
  const before = statSync(file).size;
  runOn(file, 'VACUUM', empty);
  expect(statSync(file).size).toBeLessThan(before);
  expect(await save('after')).toEqual({ saveMessages: { __typename: 'SaveMessagesPayload' } });
  expect(await ids()).toContain('after');
  expect(server.log()).not.toContain('lost');
});

it('followers of a chat are disconnected to reconnect, because the new file may differ', async () => {
  const { file, server, save } = await startWithMessages();
  const socket = await connectWebSocket(server.url.replace('http', 'ws'));
  socket.subscribe('events', 'subscription { chatEvents(chatId: "c", after: 0) { seq } }');
  socket.subscribe('head', 'subscription { branchHead(chatId: "c") { seq } }');
  await Promise.all([socket.take('events'), socket.take('head')]);
  renameSync(file, `${file}.away`);
  await save('after');
  expect(await socket.closed).toEqual({ code: 1013, reason: 'The database cannot be reached: reconnect later' });
});

it('an older file that replaces it is served from then on', async () => {
  const { file, server, save, ids, becomesReady } = await startWithMessages();
  backUp(file);
  const before = await ids();
  await save('newer');
  restore(file);
  expect(await health(server, 'ready')).toBe(503);
  await becomesReady();
  expect(await ids()).toEqual(before);
  await save('after');
  expect(await ids()).toEqual([...before, 'after']);
  await server.stop();
  await expectSoundDatabase(`file:${file}`);
});
