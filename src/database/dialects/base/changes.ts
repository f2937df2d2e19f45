/** Reads and writes of changes. The first statement locks the chat. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Chat } from '../../../conversation/model.js';
import type { SeqRange } from '../../../conversation/reads.js';
import type { Row, TableName } from '../../../conversation/tables.js';
import type { Differences } from '../differences.js';
import { statementTemplate } from '../statement-template.js';
import { columnsOf, insertRows, isThere, namesOf, type Fragments } from './fragments.js';

export function changeStatements(d: Differences, f: Fragments) {
  const chats = d.table('chats');
  const branches = d.table('branches');
  const messages = d.table('messages');
  const isActive = d.isTrue(raw('"isActive"'));

  const tip = statementTemplate(
    (chatId: string, branchName: string | null) => sql`
    ${d.walk.begin} b AS (
      SELECT ${f.branchColumns}, h."contentHash" AS "headHash", h."usage" AS "headUsage"
      FROM ${branches} b ${f.heads('b', sql`${chatId}`)} WHERE b."chatId" = ${chatId} AND ${f.isNamed(branchName)}
    ),
    w("chatId", "id", "depth", "seq", "jumpId") AS (
      SELECT m."chatId", m."id", m."depth", m."seq", m."jumpId"
      FROM b ${f.message('m', { id: raw('b."headMessageId"'), chatId: sql`${chatId}` })}
      UNION ALL
      SELECT w."chatId", j."id", j."depth", j."seq", j."jumpId" ${f.ladderStep(sql`${chatId}`)}
    )
    SELECT ${columnsOf('b', [...namesOf('branches'), 'headDepth', 'headHash', 'headUsage'])}, (SELECT max(m."seq") FROM ${messages} m WHERE m."chatId" = ${chatId}) AS "lastSeq",
      CASE WHEN b."headMessageId" IS NULL THEN (
        SELECT max(m."siblingIndex") FROM ${messages} m WHERE m."chatId" = ${chatId} AND m."parentId" IS NULL
      ) ELSE (
        SELECT max(m."siblingIndex") FROM ${messages} m WHERE m."chatId" = ${chatId} AND m."parentId" = b."headMessageId"
      ) END AS "lastIndex",
      ${d.jsonOf('w', ['id', 'depth', 'seq', 'jumpId'])} AS "ladder"
    FROM b ${d.walk.end}`,
  );

  return {
    /** Locks the chat and returns its row: the first statement of every change. */
    lockChat: statementTemplate(
      (id: string) =>
        sql`SELECT ${f.chatColumns(sql`${id}`)} FROM ${chats} c WHERE c."id" = ${id} AND ${isThere} ${d.lock.statement}`,
    ),
    /**
     * At most one row: the named or the active branch with headDepth, and the values for placing messages after its
     * head: lastSeq of the chat's newest message, lastIndex, the siblingIndex of the head's (or the chat's) newest
     * child, the head's digest as headHash and headUsage, and its ladder as JSON { id, depth, seq, jumpId }. Missing
     * values are null.
     */
    tip,

    insert: d.insert,
    /** Inserts a few rows with a parameter for each value. */
    insertRows: <Table extends TableName>(table: Table, rows: readonly Row<Table>[]): Sql => insertRows(d, table, rows),
    updateChat: (chat: Chat): Sql => sql`
      UPDATE ${chats} SET "userId" = ${chat.userId}, "title" = ${chat.title}, "metadata" = ${d.metadata.value(chat.metadata)},
        "updatedAt" = ${chat.updatedAt}, "version" = ${chat.version}, "usage" = ${chat.usage}
      WHERE "id" = ${chat.id}`,

    /** Existing rows stay unchanged. */
    insertTexts: (rows: readonly Row<'message_texts'>[]): Sql => d.insert('message_texts', rows, 'messageId'),
    deleteTexts: ({ chatId, firstSeq, lastSeq }: SeqRange): Sql => sql`
      DELETE FROM ${d.table('message_texts')}
      WHERE ${d.chatIdBesideId('message_texts')} = ${chatId} AND "messageId" IN (
        SELECT m."id" FROM ${messages} m WHERE m."chatId" = ${chatId} AND m."seq" BETWEEN ${firstSeq} AND ${lastSeq}
      )`,

    /** Leaves a chat without an active branch. */
    deactivateBranch: (chatId: string): Sql => sql`
      UPDATE ${branches} SET "isActive" = ${d.boolean(false)} WHERE "chatId" = ${chatId} AND ${isActive}`,
    /**
     * Combines changes into as few statements as possible. A change must not read rows written by another, but may
     * reference them.
     */
    combineWrites: (changes: readonly Sql[]): readonly Sql[] => changes,
  };
}
