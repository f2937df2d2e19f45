/** Reads for subscribers of chat lists. */
import type { ListedRow, ListReads, ChatStatus } from '../../conversation/list-reads.js';
import type { EventPayloads } from '../../conversation/model.js';
import type { Connection } from '../connection/connection.js';
import { toLogState } from './log-reads.js';
import { createReader } from './reader.js';
import type { LogStateRow } from './rows.js';

/** A chat's state with the time of its first event, and one transfer. */
interface ChatStatusRow extends LogStateRow {
  madeAt: number | null;
  /** The payload. */
  transfer: string | null;
  transferredAt: number | null;
}

export function createListReads(connection: Connection): ListReads {
  const { sql, rows } = createReader(connection);
  return {
    async chatStatuses(keys) {
      const found = new Map<string, ChatStatusRow[]>();
      for (const row of await rows<ChatStatusRow>(sql.chatStatuses(keys))) {
        found.set(row.chatId, [...(found.get(row.chatId) ?? []), row]);
      }
      return keys.map(({ chatId }) => toChatStatus(chatId, found.get(chatId) ?? []));
    },

    changedSince: (...list) => rows<ListedRow>(sql.changedSince(...list)),

    deletedSince: (...list) => rows<ListedRow>(sql.deletedSince(...list)),
  };
}

/** Combines the rows of a chat, one per transfer or a single one. */
function toChatStatus(chatId: string, rows: readonly ChatStatusRow[]): ChatStatus {
  const [first] = rows;
  if (first === undefined) return { chatId, chat: null, deletion: null, madeAt: null, transfers: [] };
  const transfers = rows.flatMap(({ transfer, transferredAt }) => {
    if (transfer === null || transferredAt === null) return [];
    const { previousUserId } = JSON.parse(transfer) as EventPayloads['ChatTransferred'];
    return [{ previousUserId, createdAt: transferredAt }];
  });
  return { ...toLogState(first), madeAt: first.madeAt, transfers };
}
