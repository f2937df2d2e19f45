/** Copying and counting all rows, and the row that names the analyzer of the search index. */
import sql, { type Sql } from 'sql-template-tag';
import type { Differences } from '../differences.js';
import type { SeqRange } from '../../../conversation/reads.js';
import { columnNames, DIGEST_COLUMNS, type Row } from '../../../conversation/tables.js';
import type { TablesWith } from '../../../conversation/table-rules.js';
import { columnsOf, insertRows, namesOf, DELETED_OWNER } from './fragments.js';

export function copyStatements(d: Differences) {
  const { table, part, number, first, insert } = d;
  const chats = table('chats');
  const searchIndex = table('search_index');

  return {
    /** The cheapest statement, to check that the server responds. */
    probe: (): Sql => sql`SELECT 1 AS one`,

    /** Rows of messages with all columns but DIGEST_COLUMNS, and parentSeq, from one seq to another, in order. */
    wholeMessages: (chatId: string, firstSeq: number, lastSeq: number): Sql => sql`
      SELECT ${columnsOf('m', columnNames('messages', DIGEST_COLUMNS))}, (
        SELECT p."seq" FROM ${table('messages')} p WHERE p."chatId" = ${chatId} AND p."id" = m."parentId"
      ) AS "parentSeq"
      FROM ${table('messages')} m
      WHERE "chatId" = ${chatId} AND "seq" BETWEEN ${firstSeq} AND ${lastSeq} ORDER BY "seq"`,
    /** Rows of a chat's checkpoints, in the order of their seqs. */
    checkpointsOf: (chatId: string): Sql =>
      sql`SELECT ${columnsOf('c', namesOf('checkpoints'))} FROM ${table('checkpoints')} c WHERE "chatId" = ${chatId} ORDER BY "seq"`,
    /** At most one row: whether messages of a chat have rows in message_files. */
    firstMessageFile: (chatId: string): Sql =>
      sql`SELECT "fileId" FROM ${table('message_files')} WHERE "chatId" = ${chatId} ORDER BY "fileId" ${first(1)}`,
    /** The rows of messages with these seqs, in order. */
    messageFilesOf: ({ chatId, firstSeq, lastSeq }: SeqRange): Sql => sql`
      SELECT ${columnsOf('r', namesOf('message_files'))} FROM ${table('message_files')} r
      JOIN ${table('messages')} m ON m."chatId" = r."chatId" AND m."id" = r."messageId"
      WHERE r."chatId" = ${chatId} AND m."seq" BETWEEN ${firstSeq} AND ${lastSeq} ORDER BY m."seq", r."position"`,
    copyMessageFiles: (rows: readonly Row<'message_files'>[]): Sql => insert('message_files', rows),
    insertFork: (row: Row<'chat_forks'>): Sql => insertRows(d, 'chat_forks', [row]),
    /** The row of a fork, or none. */
    forkOf: (chatId: string): Sql =>
      sql`SELECT ${columnsOf('o', namesOf('chat_forks'))} FROM ${table('chat_forks')} o WHERE o."chatId" = ${chatId}`,
    /** One row { total }: the chats with an owner. */
    countChats: (): Sql => sql`SELECT count(*) AS "total" FROM ${chats} WHERE "userId" <> ${DELETED_OWNER}`,
    /** One row { total }: rows of a chat, or of all chats with an owner. */
    countRows: (name: Exclude<TablesWith<{ rowsOf: 'chat' }>, 'chats'>, chatId?: string): Sql => sql`
      SELECT count(*) AS "total" FROM ${table(name)}
      WHERE ${chatId === undefined ? sql`"chatId" NOT IN (SELECT "id" FROM ${chats} WHERE "userId" = ${DELETED_OWNER})` : sql`"chatId" = ${chatId}`}`,

    /** One row { analyzer }, or none. */
    analyzer: (): Sql => sql`SELECT "analyzer" FROM ${searchIndex} WHERE "id" = 1`,
    insertAnalyzer: (version: number): Sql => sql`INSERT INTO ${searchIndex} ("id", "analyzer") VALUES (1, ${version})`,
    deleteOtherAnalyzer: (version: number): Sql => sql`DELETE FROM ${searchIndex} WHERE "analyzer" <> ${version}`,
    /** Locks the row of another analyzer: changes one row, or none. */
    lockOtherAnalyzer: (version: number): Sql =>
      sql`UPDATE ${searchIndex} SET "analyzer" = "analyzer" WHERE "analyzer" <> ${version}`,
    /** One row { id }: the text after a number of older ones, or none. */
    nthText: (skipped: number): Sql =>
      sql`SELECT t."id" FROM ${table('message_texts')} t ORDER BY t."id" ${part(1, skipped)}`,
    deleteTextsTo: (id: number): Sql => sql`DELETE FROM ${table('message_texts')} WHERE "id" <= ${number(id)}`,
    deleteAllTexts: (): Sql => sql`DELETE FROM ${table('message_texts')}`,
  };
}
