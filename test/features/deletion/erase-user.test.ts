/** `npm run erase-user`, in this process. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { command } from '../../../src/features/deletion/erase-command.js';
import { btw } from '../../../src/conversation/branches/rewind.js';
import { addMember } from '../../../src/features/members/members.js';
import { createChat, updateChat } from '../../../src/conversation/chats.js';
import { deleteChat } from '../../../src/features/deletion/delete-chat.js';
import { createCheckpoint } from '../../../src/conversation/branches/checkpoints.js';
import { appendToDraft, stopDraft } from '../../../src/features/drafts/change-draft.js';
import { startDraft } from '../../../src/features/drafts/start-draft.js';
import { saveMessages } from '../../../src/conversation/saving/save.js';
import type { ConversationStore } from '../../../src/conversation/store.js';
import type { Provider } from '../../../src/database/connection/connection.js';
import { parseDatabaseUrl } from '../../../src/database/connection/database-url.js';
import { eraseUser } from '../../../src/features/deletion/erasure.js';
import { createLogReads } from '../../../src/database/reading/log-reads.js';
import { connect } from '../../../src/database/opening/open.js';
import { DatabaseStore } from '../../../src/database/store/database-store.js';
import { Feeds } from '../../../src/events/feeds.js';
import { openLog } from '../../../src/events/open-log.js';
import { allRowsAt, tableAt } from '../../support/database/all-rows.js';
import { rawDatabase } from '../../support/database/raw-database.js';
import { storedText } from '../../support/database/stored-text.js';
import { temporaryDatabaseUrl } from '../../support/database/temporary-database.js';
import { endingIn } from '../../support/database/watched-connection.js';
import { runHere } from '../../cli/run-here.js';

const ALICE = { userId: 'alice-of-the-tests', isAdmin: true };
const BOB = { userId: 'bob', isAdmin: false };

const run = (args: readonly string[], environment: NodeJS.ProcessEnv) =>
  runHere('erase-user', command, args, { environment });

async function open(url: string): Promise<Provider> {
  const { connection } = await connect(url, { migrate: true, finish: false });
  onTestFinished(() => connection.close());
  return connection;
}

function saveText(store: ConversationStore, viewer: typeof BOB, chatId: string, text: string) {
  return saveMessages(store, viewer, { chatId, messages: [{ name: 'user', content: { text } }] });
}

/**
 * Alice has a chat with all kinds of data and a deleted chat. As an admin, she has deleted one chat of Bob and changed
 * another.
 */
async function aliceAndBob(): Promise<{ url: string; connection: Provider; store: ConversationStore }> {
  const url = temporaryDatabaseUrl();
  const connection = await open(url);
  const store = new DatabaseStore(connection);
  for (const id of ['hers', 'hers-deleted']) {
    await createChat(store, ALICE, { id, title: 'Wonderland', metadata: { by: ALICE.userId } });
    await saveText(store, ALICE, id, 'Curiouser');
  }
  await createCheckpoint(store, ALICE, { chatId: 'hers', name: 'x' });
  await deleteChat(store, ALICE, 'hers-deleted');
  for (const id of ['his', 'his-deleted']) {
    await createChat(store, BOB, { id });
    await saveText(store, BOB, id, 'Of cabbages');
  }
  await addMember(store, BOB, { chatId: 'his', userId: ALICE.userId, role: 'COMMENTER' });
  await updateChat(store, ALICE, { id: 'his', title: 'Changed by an admin' });
  await saveText(store, ALICE, 'his', 'And kings');
  await addMember(store, ALICE, { chatId: 'his', userId: 'carol', role: 'READER' });
  await btw(store, ALICE, { chatId: 'his' });
  await deleteChat(store, ALICE, 'his-deleted');
  for (const chatId of ['hers', 'his']) {
    await startDraft(store, ALICE, { chatId, id: `draft in ${chatId}` });
    await appendToDraft(store, ALICE, { chatId, id: `draft in ${chatId}`, offset: 0, chunks: ['The time has come'] });
  }
  await stopDraft(store, ALICE, { chatId: 'his', id: 'draft in his' });
  return { url, connection, store };
}

const everythingIn = async (url: string) => [...(await storedText(url)).values()].join();

/** The forms of her id: text, and bytes, which the full-text index of SQLite uses to separate owners. */
const ALICE_IDS = [ALICE.userId, Buffer.from(ALICE.userId).toString('hex')];
const ALICE_TEXTS = ['Wonderland', 'urious'];

const eventsIn = async (url: string) =>
  (await rawDatabase(url)).rows<{ type: string; actorId: string }>(
    `SELECT "type", "actorId" FROM ${tableAt(url, 'chat_events').sql} WHERE "chatId" = 'his' ORDER BY "seq"`,
  );

describe('npm run erase-user', () => {
  it("removes and reports all data of a user, including the user's id everywhere", async () => {
    const { url } = await aliceAndBob();
    const { shown } = parseDatabaseUrl(url);
    const before = await everythingIn(url);
    expect(before).toContain(ALICE.userId);

    expect(await run(['--user', ALICE.userId], { DATABASE_URL: url })).toEqual({
      code: 0,
      error: [],
      out: [
        `The user "${ALICE.userId}" was erased from ${shown}.`,
        '  rows                removed',
        '  chats                     1',
        '  messages                  1',
        '  branches                  1',
        '  checkpoints               1',
        '  chat_events               5',
        '  message_runs              0',
        '  message_sources           0',
        '  message_texts             1',
        '  drafts                    1',
        '  draft_chunks              1',
        '  user_files                0',
        '  access_tokens             0',
        '  page_sessions             0',
        '  shares                    0',
        '  chat_members              1',
        '  monthly_usage             0',
        '  user_retention            0',
        '  user_storage              0',
        '  rows             anonymized',
        '  deleted_chats             2',
        '  messages                  1',
        '  chat_events               4',
        '  drafts                    2',
      ],
    });
    const after = await everythingIn(url);
    for (const name of [...ALICE_IDS, ...ALICE_TEXTS]) expect(after.includes(name)).toBe(false);
    expect(await run(['--user', ALICE.userId], { DATABASE_URL: url })).toEqual({
      code: 0,
      error: [],
      out: [`No data of the user "${ALICE.userId}" is stored in ${shown}.`],
    });
  });

  it('keeps the chats of other users, with the erased user as a placeholder', async () => {
    const { url } = await aliceAndBob();
    const before = await eventsIn(url);
    await run(['--user', ALICE.userId], { DATABASE_URL: url });
    const byAlice = { type: 'ChatUpdated', actorId: ALICE.userId };
    expect(before).toContainEqual(byAlice);
    expect(await eventsIn(url)).toEqual(
      before.map((event) => (event.actorId === ALICE.userId ? { ...event, actorId: 'erased' } : event)),
    );
    const connection = await open(url);
    expect(await new DatabaseStore(connection).chat('his')).toMatchObject({ userId: BOB.userId, version: 9 });
    const database = await rawDatabase(url);
    expect(
      await database.rows(`SELECT "createdBy", "preview" FROM "messages" WHERE "chatId" = 'his' ORDER BY "seq"`),
    ).toEqual([
      { createdBy: BOB.userId, preview: 'Of cabbages' },
      { createdBy: 'erased', preview: 'And kings' },
    ]);
    expect(await database.rows(`SELECT "createdBy" FROM "branches" WHERE "chatId" = 'his' ORDER BY "seq"`)).toEqual([
      { createdBy: BOB.userId },
      { createdBy: 'erased' },
    ]);
    expect(await database.rows(`SELECT "userId", "addedBy" FROM "chat_members" WHERE "chatId" = 'his'`)).toEqual([
      { userId: 'carol', addedBy: 'erased' },
    ]);
  });

  it('continues after an interruption at any point', async () => {
    const { url, store } = await aliceAndBob();
    await createChat(store, ALICE, { id: 'large' });
    for (let n = 0; n < 3; n++) {
      const messages = Array.from({ length: 500 }, (_, m) => ({
        name: 'user',
        content: { text: `Curious ${n} ${m}` },
      }));
      await saveMessages(store, ALICE, { chatId: 'large', messages });
    }
    const others = Array.from({ length: 120 }, () => ({ name: 'user', content: { text: 'Ships' } }));
    await saveMessages(store, ALICE, { chatId: 'his', messages: others });
    // Interruptions at increasing steps, so that one is within the large chat.
    const connection = await open(url);
    const runs: string[] = [];
    for (let last = 2; runs.at(-1) !== 'done'; last += runs.length < 4 ? 0 : 1) {
      const ended = eraseUser(endingIn(connection, last), ALICE.userId);
      runs.push(
        await ended.then(
          () => 'done',
          (error: Error) => error.message,
        ),
      );
    }
    expect(runs.slice(0, 3)).toEqual(['ended', 'ended', 'ended']);
    const after = await everythingIn(url);
    for (const name of [...ALICE_IDS, ...ALICE_TEXTS]) expect(after.includes(name)).toBe(false);
  });

  it("notifies subscribers of a chat's deletion, and finds nothing for returning clients", async () => {
    const { connection } = await aliceAndBob();
    const onError = (error: unknown) => expect.unreachable(String(error));
    const feeds = new Feeds({ log: createLogReads(connection), sweepIntervalMs: 10, onError });
    onTestFinished(() => feeds.close());
    const follow = () => openLog(feeds, { ...ALICE, isAdmin: false }, { chatId: 'hers', after: 5 }, following());
    const log = await follow();
    await eraseUser(connection, ALICE.userId);
    expect(await log.next()).toMatchObject({ value: { type: 'ChatDeleted', seq: 6, actorId: 'erased' } });
    expect(await log.next()).toEqual({ done: true, value: undefined });
    await expect(follow()).rejects.toMatchObject({ message: expect.stringContaining('not found') as string });
  });

  it('reports that an unknown user has no data', async () => {
    const { url } = await aliceAndBob();
    const before = await allRowsAt(url);
    const { code, out } = await run(['--user', 'unknown'], { DATABASE_URL: url });
    expect([code, out]).toEqual([0, [`No data of the user "unknown" is stored in ${parseDatabaseUrl(url).shown}.`]]);
    expect(await allRowsAt(url)).toEqual(before);
  });

  it.each([[[]], [['--user']], [['--user', '']], [['alice']], [['--user', 'alice', '--force']]])(
    'prints its usage for %j',
    async (args) => {
      const { code, out, error } = await run(args, {});
      expect([code, out, error]).toEqual([2, [], [expect.stringMatching(/Usage: parley erase-user/)]]);
    },
  );
});

const following = () => ({ startAt: null, position: 0, isOver: false });
