/** Chats, on SQLite. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { ChatFilter, ChatPosition } from '../../../conversation/reads.js';
import type { ChatRange, ChatStatements } from '../dialect.js';
import { list, keyIndex, isThere } from './fragments.js';

export const chatStatements: ChatStatements = {
  metadata: (stored) => stored,
  chatsById: (ids) => sql`SELECT c.* FROM ${list(ids)} k CROSS JOIN chats c ON c."id" = k.value AND ${isThere}`,

  chatsWithBranch: (ids) => sql`
    SELECT c.*, b."id" AS "branchId", b."name" AS "branchName", b."headMessageId", h."depth" AS "headDepth",
      b."createdAt" AS "branchCreatedAt", b."seq" AS "branchSeq"
    FROM ${list(ids)} k CROSS JOIN chats c ON c."id" = k.value AND ${isThere}
    LEFT JOIN branches b ON b."chatId" = c."id" AND b."isActive" = 1 LEFT JOIN messages h ON h."id" = b."headMessageId" AND +h."chatId" = b."chatId"`,

  chats: (filter, range, order, limit) => sql`
    SELECT c.* FROM chats c WHERE ${join([...chatConditions(filter), ...between(range)], ' AND ')}
    ORDER BY ${ORDER[order]} LIMIT ${limit}`,

  chatCount: (filter) => sql`SELECT count(*) AS total FROM chats c WHERE ${join(chatConditions(filter), ' AND ')}`,

  userMessageCounts: (userIds) => sql`
    SELECT ${keyIndex} AS n, (
      SELECT sum((SELECT max(m."seq") FROM messages m WHERE m."chatId" = c."id")) FROM chats c WHERE c."userId" = k.value
    ) AS total
    FROM ${list(userIds)} k`,

  filterSteps: {
    listed: (filter, range, order, limit) => sql`
      SELECT c."id", c."updatedAt", c."title", octet_length(c."metadata") AS bytes FROM chats c
      WHERE ${join([...chatConditions({ ...filter, metadata: [] }), ...between(range)], ' AND ')}
      ORDER BY ${ORDER[order]} LIMIT ${limit}`,

    meeting: (ids, metadata) => sql`
      SELECT c."id" FROM ${list(ids)} k CROSS JOIN chats c ON c."id" = k.value
      WHERE ${join(chatConditions({ userId: null, metadata }), ' AND ')}`,
  },

  chatsAfter: (id, limit) => sql`
    SELECT c.* FROM chats c WHERE c."id" > ${id} AND ${isThere} ORDER BY c."id" LIMIT ${limit}`,
};

const ORDER = { newest: raw('"updatedAt" DESC, "id" DESC'), oldest: raw('"updatedAt", "id"') };

const between = ({ after, before }: ChatRange): Sql[] => [...beyond(after, raw('<')), ...beyond(before, raw('>'))];

function beyond(position: ChatPosition | null, comparison: Sql): Sql[] {
  return position === null ? [] : [sql`("updatedAt", "id") ${comparison} (${position.updatedAt}, ${position.id})`];
}

/**
 * The member as canonical JSON, which tells true, 1 and "1" apart, and in which equal values are equal. Of the functions in
 * a statement, all that take the same text parse it once; json_each would each time.
 */
function chatConditions({ userId, metadata, updatedAfter = null, updatedBefore = null }: ChatFilter): Sql[] {
  const owner = userId === null ? [isThere] : [sql`c."userId" = ${userId}`];
  const times = [
    ...(updatedAfter === null ? [] : [sql`c."updatedAt" > ${updatedAfter}`]),
    ...(updatedBefore === null ? [] : [sql`c."updatedAt" < ${updatedBefore}`]),
  ];
  const members = metadata.map(({ key, equals }) => sql`c."metadata" -> ${`$.${JSON.stringify(key)}`} = ${equals}`);
  return [...owner, ...times, ...members];
}
