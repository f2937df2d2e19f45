/** Chats, on PostgreSQL. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import { canonicalJson } from '../../../conversation/text/canonical-json.js';
import type { ChatFilter, ChatPosition } from '../../../conversation/reads.js';
import type { ChatRange, ChatStatements } from '../dialect.js';
import { list, keyIndex, chatColumns, isThere } from './fragments.js';

export const chatStatements: ChatStatements = {
  // JSONB orders the keys in its own way.
  metadata: canonicalJson,
  chatsById: (ids) => sql`
    SELECT ${chatColumns} FROM ${list(ids)} JOIN chats c ON c."id" = k.value AND ${isThere}`,

  chatsWithBranch: (ids) => sql`
    SELECT ${chatColumns}, b."id" AS "branchId", b."name" AS "branchName", b."headMessageId", h."depth" AS "headDepth",
      b."createdAt" AS "branchCreatedAt", b."seq" AS "branchSeq"
    FROM ${list(ids)} JOIN chats c ON c."id" = k.value AND ${isThere}
    LEFT JOIN branches b ON b."chatId" = c."id" AND b."isActive" LEFT JOIN messages h ON h."id" = b."headMessageId" AND h."chatId" = b."chatId"`,

  chats: (filter, range, order, limit) => sql`
    SELECT ${chatColumns} FROM chats c WHERE ${join([...chatConditions(filter), ...between(range)], ' AND ')}
    ORDER BY ${ORDER[order]} LIMIT ${limit}`,

  userMessageCounts: (userIds) => sql`
    SELECT ${keyIndex} AS n, sum((SELECT max(m."seq") FROM messages m WHERE m."chatId" = c."id")) AS total
    FROM ${list(userIds)} JOIN chats c ON c."userId" = k.value GROUP BY k.ord`,

  filterSteps: {
    listed: (filter, range, order, limit) => sql`
      SELECT c."id", c."updatedAt", c."title" FROM chats c
      WHERE ${join([...chatConditions(filter), ...between(range)], ' AND ')}
      ORDER BY ${ORDER[order]} LIMIT ${limit}`,
    meeting: null,
  },
  chatCount: (filter) => sql`SELECT count(*) AS total FROM chats c WHERE ${join(chatConditions(filter), ' AND ')}`,

  chatsAfter: (id, limit) => sql`
    SELECT ${chatColumns} FROM chats c WHERE c."id" > ${id} AND ${isThere} ORDER BY c."id" LIMIT ${limit}`,
};

const ORDER = { newest: raw('c."updatedAt" DESC, c."id" DESC'), oldest: raw('c."updatedAt", c."id"') };

const between = ({ after, before }: ChatRange): Sql[] => [...beyond(after, raw('<')), ...beyond(before, raw('>'))];

function beyond(position: ChatPosition | null, comparison: Sql): Sql[] {
  return position === null
    ? []
    : [sql`(c."updatedAt", c."id") ${comparison} (${position.updatedAt}::bigint, ${position.id})`];
}

/**
 * Containment goes by the index, but takes an object that has more for one that has it: hence also equality. Every operator
 * takes a long value out of its storage anew: || does it once for all of them, and OFFSET 0 keeps that from being undone.
 */
function chatConditions({ userId, metadata, updatedAfter = null, updatedBefore = null }: ChatFilter): Sql[] {
  const others = [
    userId === null ? isThere : sql`c."userId" = ${userId}`,
    ...(updatedAfter === null ? [] : [sql`c."updatedAt" > ${updatedAfter}::bigint`]),
    ...(updatedBefore === null ? [] : [sql`c."updatedAt" < ${updatedBefore}::bigint`]),
  ];
  if (metadata.length === 0) return others;
  const all = metadata.map(({ key, equals }) => `${JSON.stringify(key)}:${equals}`);
  const members = metadata.map(({ key, equals }) => sql`d."members" -> ${key}::text = ${equals}::jsonb`);
  return [
    ...others,
    sql`c."metadata" @> ${`{${all.join()}}`}::jsonb`,
    sql`EXISTS (
      SELECT 1 FROM (SELECT c."metadata" || '{}'::jsonb AS "members" OFFSET 0) d WHERE ${join(members, ' AND ')}
    )`,
  ];
}
