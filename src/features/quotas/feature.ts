/** Limits the bytes of chats and files of each user: see docs/limits.md. */
import type { Feature } from '../../feature.js';
import type { ValuesOf } from '../../settings/setting.js';
import { copyOfUsers } from '../../database/copy-of-users.js';
import type { Row } from '../../conversation/tables.js';
import './graphql.js';
import type { quotaSettings } from './settings.js';
import { storageStatements } from './statements.js';
import { StorageQuotas, keyOf, sumOf } from './storage-quotas.js';
import { StorageQuotaError, chatBytes } from './storage-use.js';
import type { ChatChange } from '../../conversation/change.js';
import type { Chat } from '../../conversation/model.js';
import type { ChangeHooks } from '../../database/change-hooks.js';
import type { Reading } from '../../database/whole-chats/chat-state.js';
import { toChat } from '../../database/reading/rows.js';
import type { CheckedRow, Problems, TableCheck } from '../../database/table-check.js';

/** Chats read at once, with their metadata. */
const CHATS_PER_READ = 100;

export const STORAGE_CHECK: TableCheck = {
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

declare module '../../graphql/context.js' {
  interface FeatureContext {
    readonly storage: StorageQuotas;
  }
}

export const quotas: Feature<ValuesOf<typeof quotaSettings>> = {
  checks: [STORAGE_CHECK],
  copy: async (source, target) => {
    const sql = storageStatements(target.sql.differences);
    await copyOfUsers(source, target, {
      page: ({ differences }, after, limit) => storageStatements(differences).storageQuotas(after, limit),
      remove: (userId) => sql.deleteStorageQuotaOf(userId),
      // PostgreSQL and SQL Server return BIGINT as text.
      insert: (user: Row<'user_storage'>) =>
        sql.insertStorageQuotas([{ ...user, quotaBytes: Number(user.quotaBytes) }]),
    });
  },
  forProcesses: ({ storageQuotaBytes }) => ({ storageQuotaBytes }),
  open: (connection, { storageQuotaBytes }) => {
    const storage = new StorageQuotas(connection, storageQuotaBytes);
    const serve = () => ({ context: { storage } });
    if (storageQuotaBytes === null) return { serve };
    return {
      serve,
      admit: async (userId, bytes) => {
        const { usedBytes, quotaBytes } = await storage.admit(userId, bytes);
        return (bytes) => {
          if (usedBytes + bytes > quotaBytes) throw new StorageQuotaError({ usedBytes, quotaBytes, bytes });
        };
      },
      check: (...change) => checkStorage(storage, ...change),
      committed: (change, before) => noteStorage(storage, change, before),
      stored: (userId) => storage.forget(userId),
    };
  },
};

/**
 * Refuses messages, new drafts, longer titles and metadata, and transfers beyond the quota. Appends to a draft and its end are never
 * refused: its content would be lost.
 * @param db the transaction
 * @throws StorageQuotaError, UnpreparedError
 */
async function checkStorage(
  storage: StorageQuotas,
  ...[change, before, db, prepared]: Parameters<NonNullable<ChangeHooks['check']>>
): Promise<void> {
  const { actorId, chat, messages, newOwnerId, part } = change;
  const isAddition = (part === null ? messages.length > 0 : part.isNew) || chatBytes(chat) > chatBytes(before);
  const userId = newOwnerId ?? (isAddition ? chat.userId : null);
  if (userId === null) return;
  const addition = { actorId, isRead: prepared.has(keyOf(userId)) };
  // Appends are not added to the known use: other drafts may have grown since.
  if (part?.isNew === true)
    storage.check(userId, { ...addition, draftBytes: await sumOf(db, storage.sql.draftBytesOf(userId)) });
  else storage.check(userId, addition);
}

/**
 * Counts a committed change.
 * @param before null for a new chat
 */
function noteStorage(storage: StorageQuotas, change: ChatChange, before: Chat | null): void {
  const { chat, messages, part, newOwnerId } = change;
  const ofMessages = messages.reduce((bytes, { data }) => bytes + Buffer.byteLength(data), 0);
  storage.add(chat.userId, ofMessages + chatBytes(chat) - (before === null ? 0 : chatBytes(before)));
  if (part?.endedBytes != null) storage.endDraft(chat.userId, part.endedBytes);
  if (newOwnerId !== null) storage.forget(newOwnerId);
}
