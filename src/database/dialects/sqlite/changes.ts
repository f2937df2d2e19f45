/** The statements of changes, on SQLite. */
import sql, { join, raw } from 'sql-template-tag';
import { LAST_CHARACTERS, type ChangeStatements } from '../dialect.js';
import { insertInto, isThere, parentStep } from './fragments.js';

export const changeStatements: ChangeStatements = {
  // The transaction has locked the whole file when it began.
  lockChat: (id) => sql`SELECT * FROM chats c WHERE c."id" = ${id} AND ${isThere}`,

  tip: (chatId, branchName) => sql`
    WITH RECURSIVE b AS (
      SELECT b.*, h."depth" AS "headDepth" FROM branches b
      LEFT JOIN messages h ON h."id" = b."headMessageId" AND +h."chatId" = b."chatId"
      WHERE b."chatId" = ${chatId} AND ${branchName === null ? raw('b."isActive" = 1') : sql`b."name" = ${branchName}`}
    ),
    w(id, depth, seq, "jumpId") AS (
      SELECT m."id", m."depth", m."seq", m."jumpId" FROM b
      CROSS JOIN messages m ON m."id" = b."headMessageId" AND +m."chatId" = b."chatId"
      UNION ALL
      SELECT j."id", j."depth", j."seq", j."jumpId"
      FROM w CROSS JOIN messages j ON j."id" = w."jumpId" AND +j."chatId" = ${chatId} AND j."depth" < w.depth
    )
    SELECT b.*, (SELECT max(m."seq") FROM messages m WHERE m."chatId" = ${chatId}) AS "lastSeq",
      (SELECT max(m."siblingIndex") FROM messages m
        WHERE m."chatId" = ${chatId} AND m."parentId" IS b."headMessageId") AS "lastIndex",
      (SELECT json_group_array(json_object('id', w.id, 'depth', w.depth, 'seq', w.seq, 'jumpId', w."jumpId")) FROM w) AS ladder
    FROM b`,

  ladder: ({ chatId, id }) => sql`
    WITH RECURSIVE w(id, depth, seq, "jumpId") AS (
      SELECT "id", "depth", "seq", "jumpId" FROM messages WHERE "id" = ${id} AND +"chatId" = ${chatId}
      UNION ALL
      SELECT j."id", j."depth", j."seq", j."jumpId"
      FROM w CROSS JOIN messages j ON j."id" = w."jumpId" AND +j."chatId" = ${chatId} AND j."depth" < w.depth
    )
    SELECT id, depth, seq, "jumpId" FROM w`,

  assistantAbove: ({ chatId, id }, piece) => sql`
    WITH RECURSIVE w("chatId", id, "parentId", name, depth) AS (
      SELECT "chatId", "id", "parentId", "name", "depth" FROM messages WHERE "id" = ${id} AND +"chatId" = ${chatId}
      UNION ALL
      SELECT w."chatId", p."id", p."parentId", p."name", p."depth" ${parentStep}
      WHERE w.name <> 'assistant' AND (w.depth % ${piece} > 0 OR w.id = ${id})
    )
    SELECT id, depth, name FROM w ORDER BY depth LIMIT 1`,

  insertChat: (chat) => sql`
    INSERT INTO chats ("id", "userId", "title", "metadata", "createdAt", "updatedAt", "version")
    VALUES (${chat.id}, ${chat.userId}, ${chat.title}, ${chat.metadata}, ${chat.createdAt}, ${chat.updatedAt}, ${chat.version})`,

  updateChat: (chat) => sql`
    UPDATE chats SET "userId" = ${chat.userId}, "title" = ${chat.title}, "metadata" = ${chat.metadata},
      "updatedAt" = ${chat.updatedAt}, "version" = ${chat.version}
    WHERE "id" = ${chat.id}`,

  insertMessages: (messages) => insertInto('messages', messages),

  insertRuns: (runs) => insertInto('message_runs', runs),

  // The triggers of message_texts keep the full-text index.
  insertTexts: (texts) => sql`${insertInto('message_texts', texts)} ON CONFLICT ("messageId") DO NOTHING`,

  deleteTexts: ({ chatId, firstSeq, lastSeq }) => sql`
    DELETE FROM message_texts
    WHERE "messageId" IN (
      SELECT "id" FROM messages WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq}
    )`,

  insertBranches: (branches) => insertInto('branches', branches),

  updateBranches: (branches) => sql`
    UPDATE branches SET "headMessageId" = k.column2, "isActive" = k.column3
    FROM (VALUES ${join(branches.map(({ id, headMessageId, isActive }) => sql`(${id}, ${headMessageId}, ${Number(isActive)})`))}) k
    WHERE branches."id" = k.column1`,

  deactivateBranch: (chatId) => sql`
    UPDATE branches SET "isActive" = 0 WHERE "chatId" = ${chatId} AND "isActive" = 1`,

  insertEvents: (events) => insertInto('chat_events', events),

  together: (changes) => changes,
  branchNames: (chatId, prefix, from, limit) => sql`
    SELECT "name" FROM branches
    WHERE "chatId" = ${chatId} AND "name" BETWEEN ${from} AND ${prefix + LAST_CHARACTERS}
    ORDER BY "name" LIMIT ${limit}`,
};
