/** A database, its chats, and the chat list of one process, which the test wakes. */
import sql from 'sql-template-tag';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { createChat, updateChat } from '../../src/conversation/chats.js';
import { deleteChat } from '../../src/features/deletion/delete-chat.js';
import { addMember, transferChat } from '../../src/features/members/members.js';
import type { ListReads } from '../../src/conversation/log-reads.js';
import { createListReads } from '../../src/database/reading/log-reads.js';
import { ChatList, type FollowedChats } from '../../src/events/chat-list.js';
import type { ListStream } from '../../src/events/list-changes.js';
import type { Following } from '../../src/events/following.js';
import { tableAt } from '../support/database/all-rows.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const HOUR_MS = 3_600_000;
export const ANN = { userId: 'ann', isAdmin: false };
export const BOB = { userId: 'bob', isAdmin: false };
const ROOT = { userId: 'root', isAdmin: true };

/** Opens a database for the tests of the calling file. Functions without an id use the chat id of the running test. */
export function openChatLists() {
  const statements: string[] = [];
  let database: TemporaryDatabase;
  let reads: ListReads;
  beforeAll(async () => {
    database = await temporaryDatabase((text) => statements.push(text));
    reads = createListReads(database.connection);
  });
  afterAll(() => database.remove());

  let count = 0;
  const unique = (prefix: string) => `${prefix}${count++}`;
  let chatId = '';
  beforeEach(() => void (chatId = unique('c')));

  // Changes are published when the test wakes the list.
  const create = (id = chatId, viewer = ANN) => createChat(database.store, viewer, { id });
  const change = (id = chatId, viewer = ANN) => updateChat(database.store, viewer, { id, title: unique('') });
  const remove = (id = chatId, viewer = ANN) => deleteChat(database.store, viewer, id);
  const transfer = (id: string, userId: string) => transferChat(database.store, ROOT, { id, userId });
  const share = (id: string, userId: string) => addMember(database.store, ANN, { chatId: id, userId, role: 'READER' });

  function open(options: { reads?: ListReads; capacity?: number } = {}) {
    const errors: unknown[] = [];
    const list = new ChatList({ reads, sweepIntervalMs: HOUR_MS, onError: (error) => errors.push(error), ...options });
    onTestFinished(() => list.close());
    const follow = (userId: string | null, more: Partial<Following> = {}, chats: FollowedChats = {}) =>
      list.follow(userId, { startAt: null, position: 0, isOver: false, ...more }, chats);
    return { list, errors, follow };
  }

  /** Expects no update of a stream: its next update is of another chat. */
  async function expectSilent(list: ChatList, stream: ListStream, viewer = ANN): Promise<void> {
    const id = unique('silence-');
    await create(id, viewer);
    list.wake({ chatId: id, version: 3 });
    expect(await take(stream)).toEqual([[id, 'CREATED', 3]]);
  }

  return {
    /** Sent since the test emptied this list. */
    statements,
    connection: () => database.connection,
    reads: () => reads,
    chatId: () => chatId,
    unique,
    create,
    change,
    remove,
    transfer,
    share,
    setUpdatedAt: (where: ReturnType<typeof sql>, time: number) =>
      database.connection.write(chatId, (tx) =>
        tx.run(sql`UPDATE ${tableAt(database.url, 'chats')} SET "updatedAt" = ${time} WHERE ${where}`),
      ),
    open,
    expectSilent,
  };
}

export const take = async (stream: ListStream, length = 1) => {
  const taken: [string, string, number][] = [];
  while (taken.length < length) {
    const { value } = await stream.next();
    taken.push([value!.chatId, value!.kind, value!.version]);
  }
  return taken;
};
