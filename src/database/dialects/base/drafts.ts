/** Statements on drafts, shared by all databases except for row locks and key lists. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Draft, DraftIdentity, DraftKey, DraftPiece } from '../../../conversation/drafts/draft.js';
import { columnNames } from '../../../conversation/tables.js';
import type { Differences } from '../differences.js';
import { columnsOf, insertRows, namesOf, DELETED_OWNER } from './fragments.js';

const draftColumns = columnsOf('d', namesOf('drafts'));

/** Subscribers need no metadata, which may be long. */
const STANDING_COLUMNS = columnNames('drafts', ['metadata']);

export function draftStatements(d: Differences) {
  const { bytes, first, isOneOf, lock, table } = d;
  const drafts = table('drafts');
  const chunks = table('draft_chunks');
  const isDraft = (alias: string, { chatId, id }: DraftKey): Sql =>
    sql`${raw(alias)}."chatId" = ${chatId} AND ${raw(alias)}."id" = ${id}`;
  const isOfDraft = (alias: string, { chatId, id }: DraftKey): Sql =>
    sql`${raw(alias)}."chatId" = ${chatId} AND ${raw(alias)}."draftId" = ${id}`;
  return {
    /** Locks a draft until the transaction ends: one row, or none. */
    lockDraft: (key: DraftKey): Sql =>
      sql`SELECT ${draftColumns} FROM ${drafts} d ${lock.table} WHERE ${isDraft('d', key)} ${lock.statement}`,
    /** One row { chatId, ofUser }: the chat with a draft, and its owner; or none. */
    chatOfDraft: (id: string): Sql => sql`
      SELECT d."chatId", c."userId" AS "ofUser" FROM ${drafts} d JOIN ${table('chats')} c ON c."id" = d."chatId"
      WHERE d."id" = ${id}`,
    /** Rows of the chats' open drafts, oldest first. */
    draftsOf: (chatIds: readonly string[]): Sql => sql`
      SELECT ${draftColumns} FROM ${drafts} d
      WHERE ${isOneOf(raw('d."chatId"'), chatIds)} AND d."endedAt" IS NULL ORDER BY d."startedAt", d."id"`,
    /** Rows { id, bytes } of a chat's drafts, ended ones included. */
    draftsToRemove: (chatId: string, limit: number): Sql =>
      sql`SELECT "id", "bytes" FROM ${drafts} WHERE "chatId" = ${chatId} ORDER BY "id" ${first(limit)}`,
    /**
     * Rows of all drafts of chats, without metadata, with ofChat; a chat without drafts has one row with nulls in the
     * other columns.
     */
    draftStandings: (chatIds: readonly string[]): Sql => sql`
      SELECT c."id" AS "ofChat", ${columnsOf('d', STANDING_COLUMNS)} FROM ${table('chats')} c LEFT JOIN ${drafts} d ON d."chatId" = c."id" AND ${isOneOf(raw('d."chatId"'), chatIds)}
      WHERE ${isOneOf(raw('c."id"'), chatIds)} AND c."userId" <> ${DELETED_OWNER} ORDER BY d."startedAt", d."id"`,
    insertDraft: (draft: Draft): Sql => insertRows(d, 'drafts', [draft]),
    /** Writes the changing columns. */
    updateDraft: (draft: Draft): Sql => sql`
      UPDATE ${drafts} SET "branchId" = ${draft.branchId}, "updatedAt" = ${draft.updatedAt}, "length" = ${draft.length},
        "bytes" = ${draft.bytes}, "stoppedBy" = ${draft.stoppedBy}, "endedAt" = ${draft.endedAt},
        "messageId" = ${draft.messageId}, "activation" = ${draft.activation}
      WHERE "chatId" = ${draft.chatId} AND "id" = ${draft.id}`,
    /** Also deletes its pieces. */
    deleteDraft: ({ chatId, id }: DraftKey): Sql =>
      sql`DELETE FROM ${drafts} WHERE "chatId" = ${chatId} AND "id" = ${id}`,

    insertPiece: ({ chatId, id }: DraftKey, piece: DraftPiece): Sql =>
      insertRows(d, 'draft_chunks', [{ draftId: id, ...piece, chatId }]),
    /**
     * Rows { startOffset, endOffset, chunks } after an offset, in order, at most `limit`, up to the row that reaches
     * `maxBytes`. The inner statements read sizes only.
     */
    draftPieces: (
      { chatId, id, startedAt }: DraftIdentity,
      after: number,
      limit: number,
      maxBytes = Number.MAX_SAFE_INTEGER,
    ): Sql => sql`
      SELECT p."startOffset" AS "startOffset", p."endOffset" AS "endOffset", p."chunks" AS "chunks" FROM (
        SELECT s."endOffset", sum(s."bytes") OVER (ORDER BY s."endOffset" ROWS UNBOUNDED PRECEDING) - s."bytes" AS "before" FROM (
          SELECT p."endOffset", ${bytes(raw('p."chunks"'))} AS "bytes" FROM ${chunks} p
          JOIN ${drafts} d ON ${isDraft('d', { chatId, id })} AND d."startedAt" = ${startedAt}
          WHERE ${isOfDraft('p', { chatId, id })} AND p."endOffset" > ${after} ORDER BY p."endOffset" ${first(limit)}
        ) s
      ) f JOIN ${chunks} p ON ${isOfDraft('p', { chatId, id })} AND p."endOffset" = f."endOffset"
      WHERE f."before" < ${maxBytes} ORDER BY p."endOffset"`,
    /** All pieces of several drafts, with draftId and startedAt, ordered by draft. */
    piecesOf: (of: readonly DraftKey[], after: number): Sql => {
      const isOfChats = (alias: string) =>
        isOneOf(
          raw(`${alias}."chatId"`),
          of.map(({ chatId }) => chatId),
        );
      return sql`
      SELECT p."draftId" AS "draftId", d."startedAt" AS "startedAt", p."startOffset" AS "startOffset",
        p."endOffset" AS "endOffset", p."chunks" AS "chunks"
      FROM ${chunks} p JOIN ${drafts} d ON d."chatId" = p."chatId" AND d."id" = p."draftId" AND ${isOfChats('d')}
      WHERE ${isOfChats('p')} AND ${isOneOf(
        raw('p."draftId"'),
        of.map(({ id }) => id),
      )} AND p."endOffset" > ${after} ORDER BY p."draftId", p."endOffset"`;
    },
    /** One row { endOffset }, of the nth piece of a draft, or none. */
    nthPiece: (key: DraftKey, nth: number): Sql => sql`
      SELECT max(p."endOffset") AS "endOffset" FROM (
        SELECT p."endOffset" FROM ${chunks} p WHERE ${isOfDraft('p', key)} ORDER BY p."endOffset" ${first(nth)}
      ) p`,
    /** Deletes the pieces of a draft up to an offset. */
    deletePieces: ({ chatId, id }: DraftKey, upTo: number): Sql =>
      sql`DELETE FROM ${chunks} WHERE "chatId" = ${chatId} AND "draftId" = ${id} AND "endOffset" <= ${upTo}`,

    /** One row { total }: open drafts of chats with an owner. */
    countDrafts: (): Sql => sql`
      SELECT count(*) AS "total" FROM ${drafts} d JOIN ${table('chats')} c ON c."id" = d."chatId"
      WHERE d."endedAt" IS NULL AND c."userId" <> ${DELETED_OWNER}`,
    /** One row { total }: the pieces of those drafts. */
    countPieces: (): Sql => sql`
      SELECT count(*) AS "total" FROM ${chunks} p JOIN ${drafts} d ON d."chatId" = p."chatId" AND d."id" = p."draftId"
      JOIN ${table('chats')} c ON c."id" = d."chatId" WHERE d."endedAt" IS NULL AND c."userId" <> ${DELETED_OWNER}`,

    /** Rows of open drafts without an append since a time, oldest first. */
    idleDrafts: (before: number, limit: number): Sql => sql`
      SELECT ${draftColumns} FROM ${drafts} d
      WHERE d."endedAt" IS NULL AND d."updatedAt" < ${before} ORDER BY d."updatedAt" ${first(limit)}`,
    /** Rows of drafts that ended before a time, the oldest first. */
    endedDrafts: (before: number, limit: number): Sql => sql`
      SELECT ${draftColumns} FROM ${drafts} d WHERE d."endedAt" < ${before} ORDER BY d."endedAt" ${first(limit)}`,
  };
}
