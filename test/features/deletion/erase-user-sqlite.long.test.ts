/** Checks SQLite's files for data of an erased user. erase-user.test.ts applies to every database. */
import { readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { command } from '../../../src/features/deletion/erase-command.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import { createChat } from '../../../src/conversation/chats.js';
import type { Provider } from '../../../src/database/connection/connection.js';
import { eraseUser } from '../../../src/features/deletion/erasure.js';
import { connect } from '../../../src/database/opening/open.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { runHere } from '../../cli/run-here.js';
import { temporaryFile } from '../../support/temporary-folder.js';

const ALICE = { userId: 'alice', isAdmin: false };
/** A unique text, indexed unchanged. */
const WORD = 'quetzalcoatlus';

/** A file with data of Alice that a server has open. */
async function openWithAlice(): Promise<{ path: string; connection: Provider }> {
  const path = temporaryFile();
  const { connection } = await connect(`file:${path}`, { migrate: true });
  onTestFinished(() => connection.close());
  const store = new DatabaseStore(connection);
  await createChat(store, ALICE, { id: 'hers', title: `About the ${WORD}` });
  await saveMessages(store, ALICE, { chatId: 'hers', messages: [{ name: 'user', content: { text: WORD } }] });
  return { path, connection };
}

async function erase(path: string) {
  const environment = { DATABASE_URL: `file:${path}` };
  const { code, out, error } = await runHere('erase-user', command, ['--user', ALICE.userId], { environment });
  return { code, last: [...out, ...error].at(-1) };
}

const isIn = (path: string) => readFileSync(path).includes(WORD);

/** Reads like a copy or a backup until `end`. */
async function reader(path: string): Promise<{ end(): Promise<void> }> {
  const database = await rawDatabase(`file:${path}`);
  await database.run('BEGIN; SELECT count(*) FROM chats');
  return { end: () => database.run('COMMIT') };
}

it('leaves no data in the write-ahead log while a server has the file open', async () => {
  const { path } = await openWithAlice();
  expect(isIn(`${path}-wal`)).toBe(true);
  expect(await erase(path)).toEqual({ code: 0, last: expect.stringMatching(/drafts +0$/) as string });
  expect(isIn(`${path}-wal`)).toBe(false);
});

it('leaves no data in any file after VACUUM and a checkpoint as documented', async () => {
  const { path } = await openWithAlice();
  await erase(path);
  const database = await rawDatabase(`file:${path}`);
  await database.run('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  expect([path, `${path}-wal`].map(isIn)).toEqual([false, false]);
});

it('waits for readers of the log', async () => {
  const { path, connection } = await openWithAlice();
  const { end } = await reader(path);
  const emptied: boolean[] = [];
  const ended = await eraseUser(
    {
      ...connection,
      emptyLog: async () => {
        emptied.push(await connection.emptyLog());
        if (emptied.length === 2) await end();
        return emptied.at(-1)!;
      },
    },
    ALICE.userId,
  );
  expect({ emptied, isInLog: ended.isInLog }).toEqual({ emptied: [false, false, true], isInLog: false });
  expect(isIn(`${path}-wal`)).toBe(false);
});

it('reports a reader that keeps the log, and empties the log in the next run', async () => {
  const { path } = await openWithAlice();
  const { end } = await reader(path);
  const rest = `Removed data may still be in file:${path}-wal, which another process reads: run this again later.`;
  expect(await erase(path)).toEqual({ code: 0, last: rest });
  expect(isIn(`${path}-wal`)).toBe(true);
  await end();
  expect(await erase(path)).toEqual({
    code: 0,
    last: expect.stringMatching(/^No data of the user/) as string,
  });
  expect(isIn(`${path}-wal`)).toBe(false);
});
