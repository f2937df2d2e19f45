/** Writing whole chats, and the row that names the analyzer of the search index. */
import sql, { join, type Sql } from 'sql-template-tag';
import type { Differences } from '../differences.js';
import { columnNames, DIGEST_COLUMNS } from '../../../conversation/tables.js';
import { columnsOf, namesOf } from './fragments.js';

export function copyStatements(d: Differences) {
  const { table, part, number } = d;
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
    /** Rows { id, chatId } of the existing ids. */
    chatsOfRows: (name: 'messages' | 'branches' | 'checkpoints', ids: readonly string[]): Sql =>
      sql`SELECT "id" AS "id", "chatId" AS "chatId" FROM ${table(name)} WHERE "id" IN (${join(ids)})`,
    /** One row { total }: all rows of a table. */
    countAll: (name: string): Sql => sql`SELECT count(*) AS "total" FROM ${table(name)}`,
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
