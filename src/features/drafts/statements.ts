/** Statements on drafts, shared by all databases except for row locks and key lists. */
import sql, { raw, type Sql } from 'sql-template-tag';
import type { Draft, DraftKey } from './draft.js';
import { columnNames } from '../../conversation/tables.js';
import type { Differences } from '../../database/dialects/differences.js';
import { columnsOf, namesOf, DELETED_OWNER } from '../../database/dialects/base/fragments.js';

const draftColumns = columnsOf('d', namesOf('drafts'));

/** Subscribers need no metadata, which may be long. */
const STANDING_COLUMNS = columnNames('drafts', ['metadata']);

const known = new WeakMap<Differences, ReturnType<typeof draftStatements>>();

/** The statements on drafts of a database. */
export function draftSql({ differences }: { readonly differences: Differences }): ReturnType<typeof draftStatements> {
  let statements = known.get(differences);
  if (statements === undefined) known.set(differences, (statements = draftStatements(differences)));
  return statements;
}

export function draftStatements(d: Differences) {
  const { first, isOneOf, lock, table } = d;
  const drafts = table('drafts');
  const chunks = table('draft_chunks');
  return {
    /** Locks a draft until the transaction ends: one row, or none. */
    lockDraft: ({ chatId, id }: DraftKey): Sql => sql`
      SELECT ${draftColumns} FROM ${drafts} d ${lock.table} WHERE d."chatId" = ${chatId} AND d."id" = ${id} ${lock.statement}`,
    /** One row { chatId, ofUser }: the chat with a draft, and its owner; or none. */
    chatOfDraft: (id: string): Sql => sql`
      SELECT d."chatId", c."userId" AS "ofUser" FROM ${drafts} d JOIN ${table('chats')} c ON c."id" = d."chatId"
      WHERE d."id" = ${id}`,
    /**
     * Rows of all drafts of chats, without metadata, with ofChat; a chat without drafts has one row with nulls in the
     * other columns.
     */
    draftStandings: (chatIds: readonly string[]): Sql => sql`
      SELECT c."id" AS "ofChat", ${columnsOf('d', STANDING_COLUMNS)} FROM ${table('chats')} c LEFT JOIN ${drafts} d ON d."chatId" = c."id" AND ${isOneOf(raw('d."chatId"'), chatIds)}
      WHERE ${isOneOf(raw('c."id"'), chatIds)} AND c."userId" <> ${DELETED_OWNER} ORDER BY d."startedAt", d."id"`,
    /** Writes the changing columns. */
    updateDraft: (draft: Draft): Sql => sql`
      UPDATE ${drafts} SET "branchId" = ${draft.branchId}, "updatedAt" = ${draft.updatedAt}, "length" = ${draft.length},
        "bytes" = ${draft.bytes}, "stoppedBy" = ${draft.stoppedBy}, "endedAt" = ${draft.endedAt},
        "messageId" = ${draft.messageId}, "activation" = ${draft.activation}
      WHERE "chatId" = ${draft.chatId} AND "id" = ${draft.id}`,
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
    /** Rows of open drafts without an append since a time, oldest first. */
    idleDrafts: (before: number, limit: number): Sql => sql`
      SELECT ${draftColumns} FROM ${drafts} d
      WHERE d."endedAt" IS NULL AND d."updatedAt" < ${before} ORDER BY d."updatedAt" ${first(limit)}`,
    /** Rows of drafts that ended before a time, the oldest first. */
    endedDrafts: (before: number, limit: number): Sql => sql`
      SELECT ${draftColumns} FROM ${drafts} d WHERE d."endedAt" < ${before} ORDER BY d."endedAt" ${first(limit)}`,
  };
}
