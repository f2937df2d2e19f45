/** Lists of chats, for those who follow them. */
import type { ListedRow, ListReads, Standing } from '../../conversation/list-reads.js';
import type { EventPayloads } from '../../conversation/model.js';
import type { Connection } from '../opening/connection.js';
import { toLogState } from './log-reads.js';
import { createReader } from './reader.js';
import type { ListRow, StandingRow } from './rows.js';

export function createListReads(connection: Connection): ListReads {
  const { sql, rows } = createReader(connection);
  return {
    async standings(keys) {
      const found = new Map<string, StandingRow[]>();
      for (const row of await rows<StandingRow>(sql.standings(keys))) {
        found.set(row.chatId, [...(found.get(row.chatId) ?? []), row]);
      }
      return keys.map(({ chatId }) => toStanding(chatId, found.get(chatId) ?? []));
    },

    changedSince: async (...list) => (await rows<ListRow>(sql.changedSince(...list))).map(toListedRow),

    deletedSince: async (...list) => (await rows<ListRow>(sql.deletedSince(...list))).map(toListedRow),
  };
}

/** Of a row for each time that the chat was given away, or of one. */
function toStanding(chatId: string, rows: readonly StandingRow[]): Standing {
  const [first] = rows;
  if (first === undefined) return { chatId, chat: null, deletion: null, madeAt: null, transfers: [] };
  const transfers = rows.flatMap(({ transfer, transferredAt }) => {
    if (transfer === null || transferredAt === null) return [];
    const { previousUserId } = JSON.parse(transfer) as EventPayloads['ChatTransferred'];
    return [{ previousUserId, createdAt: Number(transferredAt) }];
  });
  return { ...toLogState(first), madeAt: first.madeAt === null ? null : Number(first.madeAt), transfers };
}

function toListedRow({ chatId, userId, version, at, deletedAt }: ListRow): ListedRow {
  const deleted = deletedAt === null ? null : Number(deletedAt);
  return { chatId, userId, version: Number(version), at: Number(at), deletedAt: deleted };
}
