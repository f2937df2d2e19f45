/** The statements of changes, on PostgreSQL. */
import sql, { join, raw } from 'sql-template-tag';
import { LAST_CHARACTERS, type ChangeStatements } from '../dialect.js';
import { chatColumns, insertInto, isThere, ladderStep, lookUpIn, parentStep } from './fragments.js';

export const changeStatements: ChangeStatements = {
  // The lock that an UPDATE takes, without a dead row.
  lockChat: (id) => sql`SELECT ${chatColumns} FROM chats c WHERE c."id" = ${id} AND ${isThere} FOR NO KEY UPDATE`,

  tip: (chatId, branchName) => sql`
    WITH RECURSIVE b AS MATERIALIZED (
      SELECT b.*, h."depth" AS "headDepth" FROM branches b
      LEFT JOIN messages h ON h."id" = b."headMessageId" AND h."chatId" = b."chatId"
      WHERE b."chatId" = ${chatId} AND ${branchName === null ? raw('b."isActive"') : sql`b."name" = ${branchName}`}
    ),
    w("chatId", id, depth, seq, "jumpId") AS (
      SELECT m."chatId", m."id", m."depth", m."seq", m."jumpId" FROM b ${lookUpIn('b."chatId"', 'b."headMessageId"', 'm')}
      UNION ALL
      SELECT w."chatId", j."id", j."depth", j."seq", j."jumpId" ${ladderStep}
    )
    SELECT b.*, (SELECT max(m."seq") FROM messages m WHERE m."chatId" = ${chatId}) AS "lastSeq",
      CASE WHEN b."headMessageId" IS NULL THEN (
        SELECT max(m."siblingIndex") FROM messages m WHERE m."chatId" = ${chatId} AND m."parentId" IS NULL
      ) ELSE (
        SELECT max(m."siblingIndex") FROM messages m WHERE m."chatId" = ${chatId} AND m."parentId" = b."headMessageId"
      ) END AS "lastIndex",
      (SELECT json_agg(json_build_object('id', w.id, 'depth', w.depth, 'seq', w.seq, 'jumpId', w."jumpId"))::text FROM w)
        AS ladder
    FROM b`,

  ladder: ({ chatId, id }) => sql`
    WITH RECURSIVE w("chatId", id, depth, seq, "jumpId") AS (
      SELECT "chatId", "id", "depth", "seq", "jumpId" FROM messages WHERE "id" = ${id} AND "chatId" = ${chatId}
      UNION ALL
      SELECT w."chatId", j."id", j."depth", j."seq", j."jumpId" ${ladderStep}
    )
    SELECT id, depth, seq, "jumpId" FROM w`,

  assistantAbove: ({ chatId, id }, piece) => sql`
    WITH RECURSIVE w("chatId", id, "parentId", name, depth) AS (
      SELECT "chatId", "id", "parentId", "name", "depth" FROM messages WHERE "id" = ${id} AND "chatId" = ${chatId}
      UNION ALL
      SELECT w."chatId", p."id", p."parentId", p."name", p."depth" ${parentStep}
      WHERE w.name <> 'assistant' AND (w.depth % ${piece}::int > 0 OR w.id = ${id})
    )
    SELECT id, depth, name FROM w ORDER BY depth LIMIT 1`,

  insertChat: (chat) => sql`
    INSERT INTO chats ("id", "userId", "title", "metadata", "createdAt", "updatedAt", "version")
    VALUES (${chat.id}, ${chat.userId}, ${chat.title}, ${chat.metadata}::jsonb, ${chat.createdAt}, ${chat.updatedAt},
      ${chat.version})`,

  updateChat: (chat) => sql`
    UPDATE chats SET "userId" = ${chat.userId}, "title" = ${chat.title}, "metadata" = ${chat.metadata}::jsonb,
      "updatedAt" = ${chat.updatedAt}, "version" = ${chat.version}
    WHERE "id" = ${chat.id}`,

  insertMessages: (messages) => insertInto('messages', messages),

  insertRuns: (runs) => insertInto('message_runs', runs),

  insertTexts: (texts) => sql`${insertInto('message_texts', texts)} ON CONFLICT ("messageId") DO NOTHING`,

  deleteTexts: ({ chatId, firstSeq, lastSeq }) => sql`
    DELETE FROM message_texts
    WHERE "messageId" IN (
      SELECT "id" FROM messages WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq}
    )`,

  insertBranches: (branches) => insertInto('branches', branches),

  // The ids twice: rows out of JSON are taken for a hundred, which would have the whole table read.
  updateBranches: (branches) => sql`
    UPDATE branches b SET "headMessageId" = k."headMessageId", "isActive" = k."isActive"
    FROM json_to_recordset(${JSON.stringify(branches)}::json) AS k("id" text, "headMessageId" text, "isActive" boolean)
    WHERE b."id" = k."id" AND b."id" = ANY (${branches.map(({ id }) => id)}::text[])`,

  deactivateBranch: (chatId) => sql`
    UPDATE branches SET "isActive" = false WHERE "chatId" = ${chatId} AND "isActive"`,

  insertEvents: (events) => insertInto('chat_events', events),

  // What rows refer to is looked for at the end of a statement, and all parts of a WITH are one.
  together(changes) {
    const parts = changes.slice(0, -1).map((change, n) => sql`${raw(`changed${n}`)} AS (${change})`);
    return parts.length === 0 ? changes : [sql`WITH ${join(parts, ', ')} ${changes.at(-1)}`];
  },

  branchNames: (chatId, prefix, from, limit) => sql`
    SELECT "name" FROM branches
    WHERE "chatId" = ${chatId} AND "name" BETWEEN ${from} AND ${prefix + LAST_CHARACTERS}
    ORDER BY "name" LIMIT ${limit}::int`,
};
