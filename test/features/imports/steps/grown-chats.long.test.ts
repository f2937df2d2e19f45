/** Imports of chats that exist and have grown by more than one transaction writes. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../../src/conversation/model.js';
import { createChat } from '../../../../src/conversation/chats.js';
import { saveMessages } from '../../../../src/conversation/saving/save.js';
import { ChatArchive } from '../../../../src/features/exports/archive.js';
import type { Connection } from '../../../../src/database/connection/connection.js';
import { DatabaseStore } from '../../../../src/database/store/database-store.js';
import { VIEWER, writeBranches } from '../../../support/chats/large-chats.js';
import { temporaryDatabase, type TemporaryDatabase } from '../../../support/database/temporary-database.js';
import { watchedConnection } from '../../../support/database/watched-connection.js';
import { temporaryFile } from '../../../support/temporary-folder.js';
import { exportFrom, importTo } from '../../exports/run-export.js';
import { importContent, onlyChat, type ImportedChat } from '../imported-chats.js';
import { conversation } from '../readers/chatgpt-export.js';
import {
  adopt,
  countIn,
  endLeases,
  exportOf,
  killedIn,
  largeChat,
  MAX_ROWS_PER_STEP,
  message,
  messagesIn,
  open,
  rowsOf,
  setLeases,
  wholeIn,
} from './stepped-imports.js';

const OWNER = { userId: 'local', isAdmin: false };

describe('an import of a chat that has grown', () => {
  let undisturbed: ImportedChat;
  beforeAll(async () => {
    const database = await temporaryDatabase();
    for (const length of [100, 1_300]) await importContent(database, exportOf(length));
    undisturbed = await onlyChat(database);
    await database.remove();
  });

  it.each([2, 8])('is completed by a repeated one when it is killed in transaction %i', async (nth) => {
    const database = await open();
    await importContent(database, exportOf(100));
    const report = await importContent(killedIn(database, nth + 1), exportOf(1_300));
    expect(report.failures.kept).toEqual([expect.stringContaining('killed')]);
    expect((await storedChat(database)).version).toBe(6);
    await endLeases(database);
    const again = await importContent(database, exportOf(1_300));
    expect(again.messages).toEqual({ imported: 0, updated: 1_212, changed: 0 });
    expect(await onlyChat(database)).toEqual(undisturbed);
    expect((await importContent(database, exportOf(1_300))).conversations.unchanged).toBe(1);
  });

  it.each(['a0', 'a899'])(
    'adds its branches in bounded transactions, also after a kill; main ends at %s',
    async (main) => {
      const star = (answers: number, active: string) =>
        conversation(['n0', ...Array.from({ length: answers }, (_, n) => `a${n} < n0`)], { current_node: active });
      const [database, undisturbed] = [await open(), await open()];
      for (const each of [database, undisturbed]) await importContent(each, star(10, 'a9'));
      const tables = ['branches', 'chat_events'];
      const rows: number[] = [];
      const connection = watchedConnection(undisturbed.connection, async (_, tx) => {
        rows.push(await countIn(tx, undisturbed.url, tables));
      });
      await importContent({ ...undisturbed, store: new DatabaseStore(connection) }, star(900, main));
      const written = rows.slice(1).map((total, n) => total - rows[n]!);
      expect(Math.max(...written)).toBeLessThanOrEqual(MAX_ROWS_PER_STEP);
      const steps = written.flatMap((count, n) => (count > 0 ? [n] : []));
      expect(steps.length).toBeGreaterThan(4);
      for (const nth of [steps[1]!, steps.at(-1)!]) {
        await importContent(killedIn(database, nth + 1), star(900, main));
        await endLeases(database);
      }
      await importContent(database, star(900, main));
      expect(await onlyChat(database)).toEqual(await onlyChat(undisturbed));
      expect((await importContent(database, star(900, main))).conversations.unchanged).toBe(1);
    },
  );

  it('keeps main if the user saves meanwhile, and moves heads to each message once', async () => {
    const database = await open();
    await importContent(database, exportOf(100));
    const { id: chatId } = await onlyChat(database);
    let saved: Promise<unknown> = Promise.resolve();
    const connection = watchedConnection(database.connection, (nth) => {
      if (nth === 3) saved = saveMessages(database.store, OWNER, { chatId, messages: [message('mine')] });
    });
    await importContent({ ...database, store: new DatabaseStore(connection) }, exportOf(1_300));
    await saved;
    const chat = await onlyChat(database);
    expect(chat.branches['main']).toBe('mine');
    expect(chat.messages.length).toBe(1_314);
    // The log is that of an export, too.
    const [file, copy] = [`${temporaryFile()}.jsonl`, await open()];
    await exportFrom(database.url, file);
    expect(await importTo(copy.url, file)).toMatchObject({ code: 0, error: [] });
    expect(await onlyChat(copy)).toEqual(await onlyChat(database));
  });

  it('is refused while another import has the lease', async () => {
    const database = await open();
    await importContent(database, exportOf(100));
    await importContent(killedIn(database, 4), exportOf(1_300));
    let now = Date.now() + 30_000;
    const write: Connection['write'] = async (...request) => {
      const result = await database.connection.write(...request);
      await setLeases(database, (now += 1_000));
      return result;
    };
    const store = new DatabaseStore({ ...database.connection, write });
    const { failures } = await importContent({ ...database, store }, exportOf(1_300));
    expect(failures.kept).toEqual([expect.stringContaining('another import is writing chat')]);
  });

  it('in the format of Parley appends in steps, and is completed when it is killed', async () => {
    const source = await open();
    await writeBranches(source.store, 'c', 10, 10);
    const [before, database] = [await wholeIn(source), await open()];
    await adopt(database, before);
    for (let n = 0; n < 3; n++) {
      const messages = Array.from({ length: 400 }, (_, k) => message(`new-${n}-${k}`));
      await saveMessages(source.store, VIEWER, { chatId: 'c', messages });
    }
    const grown = await wholeIn(source);
    const [old] = (await database.allRows()).chats;
    await expect(adopt(killedIn(database, 3), grown)).rejects.toThrow('killed');
    expect([await messagesIn(database), (await database.allRows()).chats[0]]).toEqual([1_020, old]);
    expect(await adopt(database, grown)).toEqual({ result: 'updated', firstSeq: 1_021 });
    expect(await rowsOf(database)).toEqual(await rowsOf(source));
  });

  it('in the format of Parley writes only the branches that the file has changed, and 20,000 events at most', async () => {
    const { source, whole } = await largeChat();
    const database = await open();
    await adopt(database, whole);
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages: [message('last')] });
    const grown = await wholeIn(source);
    const deletions: string[] = [];
    const write: Connection['write'] = (key, work) =>
      database.connection.write(key, (tx) => {
        const run: typeof tx.run = (statement) => {
          if (statement.sql.includes('DELETE')) deletions.push(statement.sql);
          return tx.run(statement);
        };
        return work({ ...tx, run });
      });
    const connection = { ...database.connection, write };
    const version = whole.chat.version + 20_001;
    await expect(adopt({ connection }, { ...grown, chat: { ...grown.chat, version } })).rejects.toThrow(
      'the file has 20001 new events, and an import adds at most 20000',
    );
    expect(await adopt({ connection }, grown)).toMatchObject({ result: 'updated' });
    expect(deletions).toHaveLength(1);
    expect(await rowsOf(database)).toEqual(await rowsOf(source));
  });

  it('in the format of Parley writes nothing when another chat has one of its ids', async () => {
    const source = await open();
    await writeBranches(source.store, 'c', 10, 10);
    const database = await open();
    await adopt(database, await wholeIn(source));
    const messages = Array.from({ length: 500 }, (_, k) => message(`new-${k}`));
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages });
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages: [message('last')] });
    await createChat(database.store, VIEWER, { id: 'other' });
    await saveMessages(database.store, VIEWER, { chatId: 'other', messages: [message('last')] });
    const before = await rowsOf(database);
    expect(await adopt(database, await wholeIn(source))).toEqual({ result: 'taken' });
    expect(await rowsOf(database)).toEqual(before);
  });

  it('in the format of Parley waits for the end of an interrupted import in another format', async () => {
    const database = await open();
    await importContent(database, exportOf(100));
    await importContent(killedIn(database, 4), exportOf(1_300));
    const { id: chatId } = await storedChat(database);
    const whole = (await new ChatArchive(database.connection).read(chatId, null))!;
    const events: StoredEvent[] = [];
    for await (const rows of whole.events()) events.push(...rows);
    const seq = events.length + 1;
    const last = { ...events.at(-1)!, seq, type: 'ChatUpdated' as const, payload: '{}' };
    const grown = {
      ...whole,
      chat: { ...whole.chat, version: seq },
      async *events() {
        yield [...events, last];
      },
    };
    await expect(adopt(database, grown)).rejects.toThrow('another import is writing');
    await endLeases(database);
    await expect(adopt(database, grown)).rejects.toThrow('was interrupted');
    await importContent(database, exportOf(1_300));
    expect((await onlyChat(database)).messages).toHaveLength(1_313);
  });

  it('in the format of Parley moves no head when the chat is changed meanwhile', async () => {
    const source = await open();
    await writeBranches(source.store, 'c', 10, 10);
    const database = await open();
    await adopt(database, await wholeIn(source));
    const messages = Array.from({ length: 500 }, (_, k) => message(`new-${k}`));
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages });
    await saveMessages(source.store, VIEWER, { chatId: 'c', messages: [message('last')] });
    let saved: Promise<unknown> = Promise.resolve();
    const connection = watchedConnection(database.connection, (nth) => {
      if (nth === 1) saved = saveMessages(database.store, VIEWER, { chatId: 'c', messages: [message('mine')] });
    });
    expect(await adopt({ connection }, await wholeIn(source))).toMatchObject({ result: 'diverged' });
    await saved;
  });
});

/** The row of the only chat: its log may lack messages. */
async function storedChat(database: TemporaryDatabase) {
  return (await database.allRows()).chats[0]!;
}
