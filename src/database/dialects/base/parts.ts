/** Rows with parts in another table, such as unfinished messages with their chunks: see table-rules.ts. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { ChatScoped } from '../../../conversation/chat-scoped.js';
import { partsOf, type PartedTable } from '../../../conversation/table-rules.js';
import type { Differences } from '../differences.js';
import { columnsOf, namesOf } from './fragments.js';

export function partStatements(d: Differences) {
  const { first, isOneOf, table } = d;
  const quoted = (column: string): Sql => raw(`"${column}"`);
  const isOf = (name: PartedTable, { chatId, id }: ChatScoped): Sql =>
    sql`p."chatId" = ${chatId} AND p.${quoted(partsOf(name).of)} = ${id}`;
  return {
    /** Open rows of chats, oldest first. */
    openRows: (name: PartedTable, chatIds: readonly string[]): Sql => sql`
      SELECT ${columnsOf('d', namesOf(name))} FROM ${table(name)} d
      WHERE ${isOneOf(raw('d."chatId"'), chatIds)} AND d."endedAt" IS NULL ORDER BY d."startedAt", d."id"`,
    /** Rows { id, bytes } of a chat, ended ones included. */
    partedRows: (name: PartedTable, chatId: string, limit: number): Sql =>
      sql`SELECT "id", "bytes" FROM ${table(name)} WHERE "chatId" = ${chatId} ORDER BY "id" ${first(limit)}`,
    /** Also deletes its parts. */
    deleteParted: (name: PartedTable, { chatId, id }: ChatScoped): Sql =>
      sql`DELETE FROM ${table(name)} WHERE "chatId" = ${chatId} AND "id" = ${id}`,
    /** One row { position }, of the nth part, or none. */
    nthPart: (name: PartedTable, key: ChatScoped, nth: number): Sql => {
      const position = quoted(partsOf(name).position);
      return sql`
      SELECT max(p.${position}) AS "position" FROM (
        SELECT p.${position} FROM ${table(partsOf(name).table)} p WHERE ${isOf(name, key)} ORDER BY p.${position} ${first(nth)}
      ) p`;
    },
    deleteParts: (name: PartedTable, { chatId, id }: ChatScoped, upTo: number): Sql => {
      const { table: parts, of, position } = partsOf(name);
      return sql`DELETE FROM ${table(parts)} WHERE "chatId" = ${chatId} AND ${quoted(of)} = ${id} AND ${quoted(position)} <= ${upTo}`;
    },
    /**
     * Rows of parts after a position, in order, at most `limit`, up to the row that reaches `maxBytes`. The inner statements read
     * sizes only. None of a later row with the same id.
     */
    partsAfter: (
      name: PartedTable,
      { chatId, id, startedAt }: ChatScoped & { readonly startedAt: number },
      after: number,
      limit: number,
      maxBytes = Number.MAX_SAFE_INTEGER,
    ): Sql => {
      const { table: parts, position, content } = partsOf(name);
      const at = quoted(position);
      return sql`
      SELECT ${columnsOf('p', namesOf(parts))} FROM (
        SELECT s.${at}, sum(s."bytes") OVER (ORDER BY s.${at} ROWS UNBOUNDED PRECEDING) - s."bytes" AS "before" FROM (
          SELECT p.${at}, ${d.bytes(raw(`p."${content}"`))} AS "bytes" FROM ${table(parts)} p
          JOIN ${table(name)} d ON d."chatId" = ${chatId} AND d."id" = ${id} AND d."startedAt" = ${startedAt}
          WHERE ${isOf(name, { chatId, id })} AND p.${at} > ${after} ORDER BY p.${at} ${first(limit)}
        ) s
      ) f JOIN ${table(parts)} p ON ${isOf(name, { chatId, id })} AND p.${at} = f.${at}
      WHERE f."before" < ${maxBytes} ORDER BY p.${at}`;
    },
  };
}
