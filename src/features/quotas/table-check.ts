/** The stored bytes of chats, against their messages, titles and metadata. */
import type { Chat } from '../../conversation/model.js';
import { chatBytes } from './storage-use.js';
import type { Reading } from '../../database/whole-chats/chat-state.js';
import { toChat } from '../../database/reading/rows.js';
import { storageStatements } from './statements.js';
import { sumOf } from './storage-quotas.js';
import type { CheckedRow, Problems, TableCheck } from '../../database/table-check.js';

/** Chats read at once, with their metadata. */
const CHATS_PER_READ = 100;

export const CHAT_STORAGE_CHECK: TableCheck = {
  table: 'chat_storage',
  key: ['chatId'],
  columns: ['version', 'seq', 'bytes', 'chatBytes'],
  joins: { c: '{chats} ON c.id = r.chatId', m: '{messages} ON m.chatId = r.chatId AND m.seq = r.seq' },
  problems: [
    ['its chat is missing', 'c.id IS NULL'],
    ['version exceeds that of its chat', 'r.version > c.version'],
    ['the message with its seq is missing', 'r.seq <> 0 AND m.id IS NULL'],
  ],
  content: storageProblems,
};

async function storageProblems({ sql, read }: Reading, rows: readonly CheckedRow[]): Promise<Problems> {
  const problems: Problems = new Map();
  for (let start = 0; start < rows.length; start += CHATS_PER_READ) {
    const some = rows.slice(start, start + CHATS_PER_READ);
    const ids = some.map(({ chatId }) => String(chatId));
    const chats = new Map<string, Chat>();
    for (const row of await read((db) => db.rows<Chat>(sql.chatsById(ids)))) chats.set(row.id, toChat(row, sql));
    for (const row of some) {
      const chatId = String(row['chatId']);
      const chat = chats.get(chatId);
      const ofMessages = await read((db) =>
        sumOf(db, storageStatements(sql.differences).messageBytes(chatId, 0, Number(row['seq']))),
      );
      if (ofMessages !== Number(row['bytes'])) problems.set(row, 'bytes is not the sum of its messages up to seq');
      else if (chat !== undefined && isOther(chat, row)) {
        problems.set(row, 'chatBytes is not the size of the title and metadata');
      }
    }
  }
  return problems;
}

/** Servers of older versions leave it out. */
function isOther(chat: Chat, { version, chatBytes: stored }: CheckedRow): boolean {
  return stored != null && chat.version === version && chatBytes(chat) !== Number(stored);
}
