/** Reads for subscribers of a chat's log. */
import type { HeadNow, LogReads, LogState, ListedRow, ListReads, ChatStatus } from '../../conversation/log-reads.js';
import { createReader } from './reader.js';
import type { Connection } from '../connection/connection.js';
import { piecesOf } from './log-pieces.js';
import { toEvent, type EventRow, type LogStateRow } from './rows.js';
import type { EventPayloads } from '../../conversation/model.js';

export function createLogReads(connection: Connection): LogReads {
  const { sql, rows } = createReader(connection);
  return {
    async eventsAfter(chatId, after, limit) {
      const found = await rows<EventRow & { deletedAt: number | null }>(sql.eventsAfter(chatId, after, limit));
      const deletedAt = found[0]?.deletedAt ?? null;
      return { events: found.map(toEvent), deletedAt };
    },

    async logStates(chatIds) {
      const found = new Map<string, LogState>();
      for (const row of await rows<LogStateRow>(sql.logStates(chatIds))) found.set(row.chatId, toLogState(row));
      return chatIds.map((chatId) => found.get(chatId) ?? { chatId, chat: null, deletion: null });
    },

    async headNow(chatId, branchName) {
      const [head] = await rows<HeadNow>(sql.headNow(chatId, branchName));
      return head ?? null;
    },

    async nearestActivation(range, nearest) {
      for (const piece of piecesOf(range, nearest)) {
        const [row] = await rows<{ branchId: string }>(sql.nearestActivation(piece, nearest), piece.length);
        if (row !== undefined) return row.branchId;
      }
      return null;
    },

    async lostName(range, name) {
      let branchId: string | null = null;
      for (const piece of piecesOf(range, 'first')) {
        const found = await rows<EventRow>(sql.lostNames(piece), piece.length);
        for (const { type, payload } of found.map(toEvent)) {
          if (type === 'BranchRenamed' && payload.previousName === name) branchId ??= payload.branchId;
          if (type === 'BranchDeleted' && payload.name === name) branchId ??= payload.branchId;
          if (type === 'BranchDeleted' && payload.branchId === branchId) return { branchId, isDeleted: true };
        }
      }
      return branchId === null ? null : { branchId, isDeleted: false };
    },
  };
}

export function toLogState(row: LogStateRow): LogState {
  const { chatId, userId, members, version, deletedUserId, deletedSeq, deletedBy, deletedAt } = row;
  const isDeleted = deletedUserId !== null && deletedSeq !== null && deletedBy !== null && deletedAt !== null;
  return {
    chatId,
    chat: userId === null || version === null ? null : { userId, members, version },
    deletion: isDeleted
      ? { chatId, userId: deletedUserId, seq: deletedSeq, actorId: deletedBy, createdAt: deletedAt }
      : null,
  };
}

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

    sharedChatIds: async (userId, limit) =>
      (await rows<{ id: string }>(sql.sharedChats(userId, limit))).map(({ id }) => id),

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
