/** Imports of new chats that are too large for one transaction. */
import { beforeAll, describe, expect, it } from 'vitest';
import { NewChat } from '../../../../src/conversation/change.js';
import { createChat } from '../../../../src/conversation/chats.js';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { UNSET_MESSAGE_COLUMNS } from '../../../../src/conversation/tables.js';
import { adopterOf } from '../../../../src/features/imports/parley/adopt-chat.js';
import { createAll } from '../../../../src/features/imports/conversations/create-all.js';
import { DatabaseStore } from '../../../../src/database/store/database-store.js';
import { VIEWER } from '../../../support/chats/large-chats.js';
import { temporaryDatabase } from '../../../support/database/temporary-database.js';
import { watchedConnection } from '../../../support/database/watched-connection.js';
import { importContent, onlyChat, type ImportedChat } from '../imported-chats.js';
import { nodeOf } from '../readers/chatgpt-export.js';
import {
  adopt,
  countIn,
  endLeases,
  exportOf,
  killedIn,
  MAX_ROWS_PER_STEP,
  message,
  messagesIn,
  open,
  rowsOf,
  shareLargeChat,
} from './stepped-imports.js';

const largeChat = shareLargeChat();

describe('an import of a large new chat', () => {
  let undisturbed: ImportedChat;
  beforeAll(async () => {
    const database = await temporaryDatabase();
    await importContent(database, exportOf(1_100));
    undisturbed = await onlyChat(database);
    await database.remove();
  });

  it.each([2, 4, 5])('that is killed in transaction %i is completed by a repeated one', async (nth) => {
    const database = await open();
    const report = await importContent(killedIn(database, nth), exportOf(1_100));
    expect(report.failures.kept).toEqual([expect.stringContaining('killed')]);
    expect(await messagesIn(database)).toBe([0, 0, 500, 1_000, 1_111][nth - 1]);
    await endLeases(database);
    const again = await importContent(database, exportOf(1_100));
    expect(again.conversations).toEqual({ imported: 1, updated: 0, unchanged: 0 });
    expect(await onlyChat(database)).toEqual(undisturbed);
  });

  it.each([5, 8])('in the format of Parley is completed after transaction %i is killed', async (nth) => {
    const { source, whole } = largeChat();
    const database = await open();
    await expect(adopt(killedIn(database, nth), whole)).rejects.toThrow('killed');
    await endLeases(database);
    const order: number[] = [];
    const counted = watchedConnection(database.connection, async (_, tx) => {
      order.push(await countIn(tx, database.url, ['messages']));
    });
    const before = await messagesIn(database);
    expect(await adopt({ connection: counted }, whole)).toEqual({ result: 'imported', firstSeq: 1 });
    // The messages that the first import has written are not written again.
    expect(Math.min(...order)).toBe(before);
    expect(await rowsOf(database)).toEqual(await rowsOf(source));
  });

  it('restarts if the file differs from the messages of the interrupted import', async () => {
    const database = await open();
    await importContent(killedIn(database, 4), exportOf(1_100));
    await endLeases(database);
    const changed = exportOf(1_100);
    nodeOf(changed, 'n3').message!['content'] = { content_type: 'text', parts: ['changed'] };
    await importContent(database, changed);
    const { messages } = await onlyChat(database);
    expect(messages.length).toBe(1_111);
    expect(messages[3]!.data.parts).toEqual([{ type: 'text', text: 'changed' }]);
  });

  it('has transactions of a bounded size, with saves of other users between them', async () => {
    const { whole } = largeChat();
    const database = await open();
    await createChat(database.store, VIEWER, { id: 'other' });
    const [counts, order]: [number[], string[]] = [[], []];
    let saved: Promise<unknown> = Promise.resolve();
    const tables = ['chats', 'messages', 'branches', 'checkpoints', 'chat_events'];
    const connection = watchedConnection(database.connection, async (nth, tx) => {
      counts.push(await countIn(tx, database.url, tables));
      order.push('step');
      if (nth !== 2) return;
      const save = saveMessages(database.store, VIEWER, { chatId: 'other', messages: [message('m')] });
      saved = save.then(() => order.push('saved'));
    });
    await adopt({ connection }, whole);
    await saved;
    const written = counts.slice(1).map((count, n) => count - counts[n]!);
    // The save writes a message and an event.
    expect(Math.max(...written)).toBeLessThanOrEqual(MAX_ROWS_PER_STEP + 2);
    expect(order.indexOf('saved')).toBeGreaterThan(1);
    expect(order.indexOf('saved')).toBeLessThan(order.length - 1);
  });

  it('notifies subscribers once', async () => {
    const { whole } = largeChat();
    const database = await open();
    const changes: unknown[] = [];
    await adopterOf(database.connection, (change) => changes.push(change))(whole);
    expect(changes).toEqual([{ chatId: 'c', version: whole.chat.version }]);
  });

  it('with a message id of another chat leaves nothing', async () => {
    const { whole } = largeChat();
    const database = await open();
    await createChat(database.store, VIEWER, { id: 'other' });
    await saveMessages(database.store, VIEWER, { chatId: 'other', messages: [message('c-b599')] });
    const before = await rowsOf(database);
    expect(await adopt(database, whole)).toEqual({ result: 'taken' });
    expect(await rowsOf(database)).toEqual(before);
  });
});

it('new chats with more than 4 MiB in total are written in several transactions', async () => {
  const database = await open();
  const large = (chatId: string) => {
    const times = { createdAt: 1, updatedAt: 1 };
    const change = new NewChat({ id: chatId, userId: 'u', title: null, metadata: '{}', ...times }, 'u', 1);
    const place = {
      ...UNSET_MESSAGE_COLUMNS,
      parentId: null,
      depth: 0,
      seq: 1,
      siblingIndex: 0,
      jumpId: `${chatId}-m`,
      parentSeq: null,
      sources: [],
    };
    const text = { data: JSON.stringify('x'.repeat(3 * 1024 * 1024)), text: 'x', preview: 'x', createdBy: 'u' };
    change.messages.push({ id: `${chatId}-m`, chatId, name: 'user', type: 'message', createdAt: 1, ...place, ...text });
    return change;
  };
  expect(await createAll(DatabaseStore.of(database.store), [large('a'), large('b')])).toBe(false);
  expect((await database.allRows()).chats).toEqual([]);
  expect(await createAll(DatabaseStore.of(database.store), [large('a')])).toBe(true);
});
