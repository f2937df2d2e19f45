/** Messages are read with all their data, in statements with bounded results. */
import type { Sql } from 'sql-template-tag';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createChat } from '../../src/conversation/chats.js';
import { deleteChat } from '../../src/features/deletion/delete-chat.js';
import { ContentBudget } from '../../src/limits/content-budget.js';
import { DeletedError, TooLargeError } from '../../src/conversation/errors.js';
import type { Message } from '../../src/conversation/model.js';
import { saveMessages } from '../../src/conversation/saving/save.js';
import type { Dialect } from '../../src/database/dialects/dialect.js';
import { readMessages, type MessageSource, type SelectMessages } from '../../src/database/reading/message-data.js';
import { createReader } from '../../src/database/reading/reader.js';
import { temporaryDatabase, type TemporaryDatabase } from '../support/database/temporary-database.js';

const VIEWER = { userId: 'u', isAdmin: false };
const MiB = 1024 ** 2;

let database: TemporaryDatabase;
/** The messages of the chat "mixed" by id: short and long, with one-byte and multi-byte characters. */
let mixed: Map<string, Message>;
beforeAll(async () => {
  database = await temporaryDatabase();
  mixed = new Map((await save('mixed', ['', 'x'.repeat(50), 'é'.repeat(40), '🌍'.repeat(30), 'end'])).map(byId));
});
afterAll(() => database.remove());

const byId = (message: Message): [string, Message] => [message.id, message];

/** A chat with one chain of messages. */
async function save(chatId: string, data: readonly string[]): Promise<Message[]> {
  await createChat(database.store, VIEWER, { id: chatId });
  const saved: Message[] = [];
  for (const each of data) {
    const messages = [{ name: 'assistant', content: { data: each } }];
    saved.push(...(await saveMessages(database.store, VIEWER, { chatId, messages })).messages);
  }
  return saved;
}

/** The results of the statements of a read. */
interface Watched {
  statements: number;
  /** The values of the longest answer. */
  most: number;
  /** Called before each but the first. */
  between?: () => Promise<unknown>;
}

/** A reader whose statements are recorded. */
function watchedRows(watched: Watched): MessageSource['rows'] {
  const { rows } = createReader(database.connection);
  return async <T extends object>(statement: Sql): Promise<T[]> => {
    if (watched.statements > 0) await watched.between?.();
    const found = await rows<T>(statement);
    watched.statements++;
    const json = JSON.stringify(found, (_, value: unknown) => (typeof value === 'bigint' ? 0 : value));
    watched.most = Math.max(watched.most, Buffer.byteLength(json));
    return found;
  };
}

function read(
  select: SelectMessages,
  count: number,
  watched: Watched = { statements: 0, most: 0 },
  content?: ContentBudget,
): Promise<Message[]> {
  return readMessages({ sql: database.connection.sql, rows: watchedRows(watched), content }, select, count);
}

const ids = () => [...mixed.keys()];
const head = () => ids().at(-1)!;
const inMixed = { chatId: 'mixed', toDepth: null };

describe('data longer than the part that is read with its row', () => {
  it.each<[what: string, select: (sql: Dialect, inlineBytes: number) => Sql, expected: () => string[]]>([
    ['of messages by id', (sql, inline) => sql.messagesById(ids(), inline), ids],
    [
      'of messages of a chat',
      (sql, inline) =>
        sql.messages(
          ids().map((id) => ({ chatId: 'mixed', id })),
          inline,
        ),
      ids,
    ],
    ['of a path', (sql, inline) => sql.paths([{ ...inMixed, messageId: head(), length: 9 }], inline), ids],
    [
      'of children',
      (sql, inline) => sql.children([{ chatId: 'mixed', parentId: ids()[1]!, start: 0, end: 9 }], inline),
      () => ids().slice(2, 3),
    ],
    ['of the newest message', (sql, inline) => sql.newestMessages(['mixed'], inline), () => [head()]],
    [
      'of messages by seq',
      (sql, inline) => sql.messageRanges([{ chatId: 'mixed', firstSeq: 2, lastSeq: 4 }], inline),
      () => ids().slice(1, 4),
    ],
    ['of all messages', (sql, inline) => sql.messagesAfter('', 9, inline), ids],
  ])('%s is read completely', async (_, select, expected) => {
    for (const inlineBytes of [0, 5, 52, 60, 82, 1000]) {
      const found = await read(() => select(database.connection.sql, inlineBytes), 9);
      const messages = new Map(found.map(byId));
      expect([...messages.keys()].sort()).toEqual(expected().sort());
      for (const [id, { data }] of messages) expect(data).toBe(mixed.get(id)!.data);
    }
  });

  it('is read once for any number of paths', async () => {
    const watched: Watched = { statements: 0, most: 0 };
    const pieces = ids().map((messageId) => ({ ...inMixed, messageId, length: 9 }));
    // Five messages with some 340 bytes, and 45 rows.
    const content = new ContentBudget(340 + 45 * 256 + 200);
    const found = await read(() => database.connection.sql.paths(pieces, 0), 45, watched, content);
    expect(found).toHaveLength(1 + 2 + 3 + 4 + 5);
    expect(found.every(({ id, data }) => data === mixed.get(id)!.data)).toBe(true);
    expect(watched.statements).toBe(2);
  });

  it('is missing when its chat is deleted meanwhile: lists omit the message, and its path is missing', async () => {
    const { sql } = database.connection;
    const watched = () => ({ statements: 0, most: 0, between: () => deleteChat(database.store, VIEWER, 'brief') });
    const [one] = await save('brief', ['for a moment']);
    expect(await read(() => sql.messagesById([one!.id], 3), 1, watched())).toEqual([]);
    const [other] = await save('brief', ['for a moment']);
    const path = () => sql.paths([{ chatId: 'brief', messageId: other!.id, toDepth: null, length: 1 }], 3);
    const reading = readMessages({ sql, rows: watchedRows(watched()) }, path, 1, true);
    await expect(reading).rejects.toThrow(new DeletedError(`Message "${other!.id}"`));
  });
});

describe('a chain with 40 MB of data', () => {
  let chain: Message[];
  beforeAll(async () => {
    chain = await save(
      'large',
      Array.from({ length: 40 }, (_, n) => `${n}`.repeat(1_000_000 / `${n}`.length)),
    );
  });
  const path = (inlineBytes: number) => {
    const piece = { chatId: 'large', messageId: chain.at(-1)!.id, toDepth: null, length: chain.length };
    return database.connection.sql.paths([piece], inlineBytes);
  };

  it('is read whole, in pieces', async () => {
    const watched: Watched = { statements: 0, most: 0 };
    const found = new Map((await read(path, chain.length, watched)).map(byId));
    for (const { id, data } of chain) expect(found.get(id)?.data === data).toBe(true);
    expect(watched.statements).toBe(11);
    expect(watched.most).toBeLessThan(5 * MiB);
  });

  it('is not read by an operation whose limit it exceeds', async () => {
    const watched: Watched = { statements: 0, most: 0 };
    const reading = read(path, chain.length, watched, new ContentBudget(40_000_000));
    await expect(reading).rejects.toThrow(TooLargeError);
    expect(watched.statements).toBe(1);
    expect(watched.most).toBeLessThan(MiB);
  });
});
