/** The progress of fills: of values that messages of older versions lack. */
import { beforeAll, afterAll, expect, it } from 'vitest';
import { createChat } from '../../src/conversation/chats.js';
import { saveMessages } from '../../src/conversation/saving/save.js';
import { progressLog, type FillProgress, type Progress } from '../../src/database/writing/progress.js';
import { fillDigests } from '../../src/database/writing/fill-digests.js';
import { bringSearchUpToDate } from '../../src/database/writing/search-index.js';
import { VIEWER } from '../support/chats/large-chats.js';
import { rawDatabase } from '../support/database/raw-database.js';
import { endingIn } from '../support/database/watched-connection.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const MESSAGES = 450;
let database: TemporaryDatabase;

beforeAll(async () => {
  database = await temporaryDatabase();
  await createChat(database.store, VIEWER, { id: 'c' });
  const messages = Array.from({ length: MESSAGES }, (_, n) => ({ name: 'user', content: { text: `word ${n}` } }));
  await saveMessages(database.store, VIEWER, { chatId: 'c', messages });
});
afterAll(() => database.remove());

const run = async (statement: string) => (await rawDatabase(database.url)).run(statement);

/** Collects reports, and the lines of a log. */
function receiver() {
  const [reports, lines]: [FillProgress[], string[]] = [[], []];
  const log = progressLog((line) => lines.push(line));
  const onProgress = (progress: Progress) => {
    log(progress);
    if ('fill' in progress) reports.push(progress);
  };
  return { reports, lines, onProgress, done: () => reports.map(({ done, isDone }) => [done, isDone]) };
}

it('of hashes is reported after each step, and a later one reports the rest', async () => {
  await run('UPDATE messages SET "contentHash" = NULL');
  const aborting = new AbortController();
  const first = receiver();
  await fillDigests(database.connection, {
    signal: aborting.signal,
    onProgress: (progress) => {
      first.onProgress(progress);
      if ('fill' in progress && progress.done > 0) aborting.abort();
    },
  });
  expect(first.reports).toMatchObject([
    { fill: 'message hashes', done: 0, total: MESSAGES, isDone: false },
    { done: 200, total: MESSAGES, isDone: false },
  ]);
  const next = receiver();
  await fillDigests(database.connection, next);
  expect(next.done()).toEqual([
    [0, false],
    [200, false],
    [250, false],
    [250, true],
  ]);
  expect(next.lines).toEqual([
    expect.stringMatching(/^Fill of message hashes, 0 of 250 messages, after [0-9.]+ seconds$/),
    expect.stringMatching(/^Fill of message hashes, 250 of 250 messages, took [0-9.]+ seconds$/),
  ]);
});

it('of few hashes, which servers of an older version write, is not reported', async () => {
  await run('UPDATE messages SET "contentHash" = NULL WHERE seq > 300');
  const { onProgress, reports } = receiver();
  await fillDigests(database.connection, { onProgress });
  expect(reports).toEqual([]);
});

it('of the search index deletes the texts of another analyzer in steps, and continues', async () => {
  const { connection } = database;
  const count = async () => (await database.allRows()).texts.length;
  await connection.write('more', (tx) =>
    tx.run(
      connection.sql.insertTexts(
        Array.from({ length: 2_000 }, (_, n) => ({
          messageId: `old ${n}`,
          chatId: 'c',
          name: 'user',
          createdAt: n,
          seq: n,
          length: 1,
          terms: ' old ',
        })),
      ),
    ),
  );
  await run('UPDATE search_index SET "analyzer" = 1');
  await expect(bringSearchUpToDate(endingIn(connection, 3))).rejects.toThrow('ended');
  expect(await count()).toBe(450);
  await expect(bringSearchUpToDate(endingIn(connection, 2))).rejects.toThrow('ended');
  await bringSearchUpToDate(connection);
  expect(await count()).toBe(MESSAGES);
});

it('of the search index is reported after each step, and ends between two when it is aborted', async () => {
  await run('DELETE FROM search_index');
  await run('DELETE FROM message_texts');
  const aborting = new AbortController();
  const first = receiver();
  const indexing = bringSearchUpToDate(database.connection, {
    signal: aborting.signal,
    onProgress: (progress) => {
      first.onProgress(progress);
      if ('fill' in progress && progress.done > 0) aborting.abort(new Error('enough'));
    },
  });
  await expect(indexing).rejects.toThrow('enough');
  expect(first.reports.at(-1)).toMatchObject({ fill: 'search index', done: 100, total: MESSAGES, isDone: false });

  const next = receiver();
  await bringSearchUpToDate(database.connection, next);
  expect(next.reports[0]).toMatchObject({ done: 0, total: MESSAGES });
  expect(next.reports.at(-1)).toMatchObject({ done: MESSAGES, total: MESSAGES, isDone: true });
});
