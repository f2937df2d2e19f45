import type { Sql } from 'sql-template-tag';
import type { Dialect } from '../../../src/database/dialects/dialect.js';
import { draftSql } from '../../../src/features/drafts/statements.js';
import { rowOf } from '../../support/database/row-of.js';

const draft = { ...rowOf('drafts'), onConflict: 'FORK', activation: 'AT_END' } as const;

/** Those that find rows by keys: see test/support/database/keyed-statements.ts. */
export function keyedStatements(dialect: Dialect): Record<string, Sql[]> {
  const sql = draftSql(dialect);
  return {
    lockDraft: [sql.lockDraft(draft)],
    chatOfDraft: [sql.chatOfDraft('d')],
    draftStandings: [sql.draftStandings(['c'])],
    updateDraft: [sql.updateDraft(draft)],
    piecesOf: [sql.piecesOf([draft, { chatId: 'c', id: 'e' }], 1)],
    idleDrafts: [sql.idleDrafts(9, 9)],
    endedDrafts: [sql.endedDrafts(9, 9)],
  };
}

/** The statements that touch several partitions, with the reason. */
export const ACROSS_CHATS = {
  chatOfDraft: 'finds the chat of an id that a client gives',
  idleDrafts: 'sweeps all chats',
  endedDrafts: 'sweeps all chats',
};
