/** Copying and counting all rows. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { SeqRange } from '../../conversation/reads.js';
import { partsOf, type CopiedTable, type PartedTable, type TablesWith } from '../../conversation/table-rules.js';
import {
  columnsOf,
  DELETED_OWNER,
  fragmentsOf,
  isAfter,
  isThere,
  namesOf,
} from '../../database/dialects/base/fragments.js';
import type { Differences } from '../../database/dialects/differences.js';

export function copyStatements(d: Differences) {
  const { table, first, top, limit } = d;
  const chats = table('chats');
  return {
    /** Rows of chats whose ids come after one, by id. */
    chatsAfter: (id: string, count: number): Sql => sql`
      SELECT ${top(count)} ${fragmentsOf(d).chatColumns()} FROM ${chats} c
      WHERE ${isAfter(raw('c."id"'), id)} AND ${isThere} ORDER BY c."id" ${limit(count)}`,
    /** At most one row: whether messages of a chat have rows in message_files. */
    firstMessageFile: (chatId: string): Sql =>
      sql`SELECT "fileId" FROM ${table('message_files')} WHERE "chatId" = ${chatId} ORDER BY "fileId" ${first(1)}`,
    /** The rows of messages with these seqs, in order. */
    messageFilesOf: ({ chatId, firstSeq, lastSeq }: SeqRange): Sql => sql`
      SELECT ${columnsOf('r', namesOf('message_files'))} FROM ${table('message_files')} r
      JOIN ${table('messages')} m ON m."chatId" = r."chatId" AND m."id" = r."messageId"
      WHERE r."chatId" = ${chatId} AND m."seq" BETWEEN ${firstSeq} AND ${lastSeq} ORDER BY m."seq", r."position"`,
    /** The rows of a chat. */
    copiedRows: (name: CopiedTable, chatId: string): Sql =>
      sql`SELECT ${columnsOf('r', namesOf(name))} FROM ${table(name)} r WHERE r."chatId" = ${chatId}`,
    /** One row { total }: the chats with an owner. */
    countChats: (): Sql => sql`SELECT count(*) AS "total" FROM ${chats} WHERE "userId" <> ${DELETED_OWNER}`,
    /** One row { total }: rows of a chat, or of all chats with an owner. */
    countRows: (name: Exclude<TablesWith<{ rowsOf: 'chat' }>, 'chats'>, chatId?: string): Sql => sql`
      SELECT count(*) AS "total" FROM ${table(name)}
      WHERE ${chatId === undefined ? sql`"chatId" NOT IN (SELECT "id" FROM ${chats} WHERE "userId" = ${DELETED_OWNER})` : sql`"chatId" = ${chatId}`}`,
    /** One row { total }: open rows of chats with an owner. */
    countOpen: (name: PartedTable): Sql => sql`
      SELECT count(*) AS "total" FROM ${table(name)} d JOIN ${chats} c ON c."id" = d."chatId"
      WHERE d."endedAt" IS NULL AND c."userId" <> ${DELETED_OWNER}`,
    /** One row { total }: the parts of those rows. */
    countParts: (name: PartedTable): Sql => sql`
      SELECT count(*) AS "total" FROM ${table(partsOf(name).table)} p
      JOIN ${table(name)} d ON d."chatId" = p."chatId" AND d."id" = ${raw(`p."${partsOf(name).of}"`)}
      JOIN ${chats} c ON c."id" = d."chatId" WHERE d."endedAt" IS NULL AND c."userId" <> ${DELETED_OWNER}`,
  };
}
