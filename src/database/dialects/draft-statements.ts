/** Statements on drafts. They are the same on every database, but for how a row is locked and a list of keys travels. */
import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Draft, DraftIdentity, DraftPiece } from '../../conversation/drafts/draft.js';
import { columnNames } from '../../conversation/tables.js';
import { NOBODY } from './common-statements.js';

const DRAFT_COLUMNS = columnNames('drafts');

const columnsOf = (alias: string, names: readonly string[] = DRAFT_COLUMNS): Sql =>
  raw(names.map((name) => `${alias}."${name}" AS "${name}"`).join(', '));

/** Followers need no metadata, and it may be long. */
const STANDING_COLUMNS = columnNames('drafts', ['metadata']);

export type DraftStatements = ReturnType<typeof draftStatements>;

export interface DraftDifferences {
  /** How the database calls one of Parley's tables. */
  table: (name: string) => Sql;
  /** What comes behind an ORDER BY to take so many rows. */
  first: (count: number) => Sql;
  /** What keeps others from changing a row that is read, behind the table or behind the statement. */
  lock: { table: Sql; statement: Sql };
  /** That a column has one of some values. */
  isOneOf: (column: Sql, values: readonly string[]) => Sql;
  /** The size of a text column in bytes, without reading the text. */
  bytes: (column: Sql) => Sql;
}

export function draftStatements({ table, first, lock, isOneOf, bytes }: DraftDifferences) {
  const drafts = table('drafts');
  const chunks = table('draft_chunks');
  return {
    /** One row, or none, with the owner of its chat as ofUser; nobody else changes it until the transaction ends. */
    lockDraft: (id: string): Sql =>
      sql`SELECT ${columnsOf('d')}, (SELECT c."userId" FROM ${table('chats')} c WHERE c."id" = d."chatId") AS "ofUser" FROM ${drafts} d ${lock.table} WHERE d."id" = ${id} ${lock.statement}`,
    /** Rows of the drafts of chats that have not ended, in the order in which they began. */
    draftsOf: (chatIds: readonly string[]): Sql => sql`
      SELECT ${columnsOf('d')} FROM ${drafts} d
      WHERE ${isOneOf(raw('d."chatId"'), chatIds)} AND d."endedAt" IS NULL ORDER BY d."startedAt", d."id"`,
    /** Rows { id, bytes } of drafts of a chat, those that have ended, too. */
    draftsToRemove: (chatId: string, limit: number): Sql =>
      sql`SELECT "id", "bytes" FROM ${drafts} WHERE "chatId" = ${chatId} ORDER BY "id" ${first(limit)}`,
    /** Puts a name in the place of a user's where they began drafts, or asked their writers to stop. */
    renameInDrafts: (column: 'startedBy' | 'stoppedBy', userId: string, name: string): Sql =>
      sql`UPDATE ${drafts} SET ${raw(`"${column}"`)} = ${name} WHERE ${raw(`"${column}"`)} = ${userId}`,
    /** Rows of all drafts of chats, without metadata, with ofChat; for a chat without any, one with nulls in all other columns. */
    draftStandings: (chatIds: readonly string[]): Sql => sql`
      SELECT c."id" AS "ofChat", ${columnsOf('d', STANDING_COLUMNS)} FROM ${table('chats')} c LEFT JOIN ${drafts} d ON d."chatId" = c."id"
      WHERE ${isOneOf(raw('c."id"'), chatIds)} AND c."userId" <> ${NOBODY} ORDER BY d."startedAt", d."id"`,
    insertDraft: (draft: Draft): Sql => sql`
      INSERT INTO ${drafts} (${raw(DRAFT_COLUMNS.map((name) => `"${name}"`).join(', '))})
      VALUES (${join(DRAFT_COLUMNS.map((name) => draft[name]))})`,
    /** Writes what changes in its life. */
    updateDraft: (draft: Draft): Sql => sql`
      UPDATE ${drafts} SET "branchId" = ${draft.branchId}, "updatedAt" = ${draft.updatedAt}, "length" = ${draft.length},
        "bytes" = ${draft.bytes}, "stoppedBy" = ${draft.stoppedBy}, "endedAt" = ${draft.endedAt},
        "messageId" = ${draft.messageId}, "activation" = ${draft.activation}
      WHERE "id" = ${draft.id}`,
    /** With its pieces. */
    deleteDraft: (id: string): Sql => sql`DELETE FROM ${drafts} WHERE "id" = ${id}`,

    insertPiece: (draftId: string, { startOffset, endOffset, chunks: json }: DraftPiece): Sql => sql`
      INSERT INTO ${chunks} ("draftId", "endOffset", "startOffset", "chunks")
      VALUES (${draftId}, ${endOffset}, ${startOffset}, ${json})`,
    /**
     * Rows { startOffset, endOffset, chunks }, in order: the first so many that go beyond an offset, up to the row with which they
     * have so many bytes. The inner statements read no chunks, only their sizes.
     */
    draftPieces: (
      { id, startedAt }: DraftIdentity,
      after: number,
      limit: number,
      maxBytes = Number.MAX_SAFE_INTEGER,
    ): Sql => sql`
      SELECT p."startOffset" AS "startOffset", p."endOffset" AS "endOffset", p."chunks" AS "chunks" FROM (
        SELECT s."endOffset", sum(s."bytes") OVER (ORDER BY s."endOffset" ROWS UNBOUNDED PRECEDING) - s."bytes" AS "before" FROM (
          SELECT p."endOffset", ${bytes(raw('p."chunks"'))} AS "bytes" FROM ${chunks} p
          JOIN ${drafts} d ON d."id" = p."draftId" AND d."startedAt" = ${startedAt}
          WHERE p."draftId" = ${id} AND p."endOffset" > ${after} ORDER BY p."endOffset" ${first(limit)}
        ) s
      ) f JOIN ${chunks} p ON p."draftId" = ${id} AND p."endOffset" = f."endOffset"
      WHERE f."before" < ${maxBytes} ORDER BY p."endOffset"`,
    /** The same of several drafts with draftId and startedAt, all of them, draft by draft. */
    piecesOf: (draftIds: readonly string[], after: number): Sql => sql`
      SELECT p."draftId" AS "draftId", d."startedAt" AS "startedAt", p."startOffset" AS "startOffset",
        p."endOffset" AS "endOffset", p."chunks" AS "chunks"
      FROM ${chunks} p JOIN ${drafts} d ON d."id" = p."draftId"
      WHERE ${isOneOf(raw('p."draftId"'), draftIds)} AND p."endOffset" > ${after} ORDER BY p."draftId", p."endOffset"`,
    /** One row { endOffset }, of the nth piece of a draft, or none. */
    nthPiece: (draftId: string, nth: number): Sql => sql`
      SELECT max(p."endOffset") AS "endOffset" FROM (
        SELECT "endOffset" FROM ${chunks} WHERE "draftId" = ${draftId} ORDER BY "endOffset" ${first(nth)}
      ) p`,
    /** Deletes the pieces of a draft up to one. */
    deletePieces: (draftId: string, upTo: number): Sql =>
      sql`DELETE FROM ${chunks} WHERE "draftId" = ${draftId} AND "endOffset" <= ${upTo}`,

    /** One row { total }: those that have not ended, of chats that are somebody's. */
    countDrafts: (): Sql => sql`
      SELECT count(*) AS "total" FROM ${drafts} d JOIN ${table('chats')} c ON c."id" = d."chatId"
      WHERE d."endedAt" IS NULL AND c."userId" <> ${NOBODY}`,
    /** The same of their pieces. */
    countPieces: (): Sql => sql`
      SELECT count(*) AS "total" FROM ${chunks} p JOIN ${drafts} d ON d."id" = p."draftId"
      JOIN ${table('chats')} c ON c."id" = d."chatId" WHERE d."endedAt" IS NULL AND c."userId" <> ${NOBODY}`,

    /** Rows of drafts that have not ended, and have last grown before a time, the oldest first. */
    idleDrafts: (before: number, limit: number): Sql => sql`
      SELECT ${columnsOf('d')} FROM ${drafts} d
      WHERE d."endedAt" IS NULL AND d."updatedAt" < ${before} ORDER BY d."updatedAt" ${first(limit)}`,
    /** Rows of drafts that ended before a time, the oldest first. */
    endedDrafts: (before: number, limit: number): Sql => sql`
      SELECT ${columnsOf('d')} FROM ${drafts} d WHERE d."endedAt" < ${before} ORDER BY d."endedAt" ${first(limit)}`,
  };
}
