/** Drafts, for clients and for those who follow them. */
import type { Draft } from '../../conversation/drafts/draft.js';
import type { DraftReads } from '../../conversation/drafts/draft-reads.js';
import type { ConversationReads } from '../../conversation/reads.js';
import type { Connection } from '../opening/connection.js';
import { createReader, type Reader } from './reader.js';
import { toDraft, toPiece, type DraftPieceRow, type DraftRow } from './rows.js';

/** Drafts of one look for those that are over. */
const AT_ONCE = 100;

/** Of those who follow drafts, which is not an operation of anybody. */
export function createDraftReads(connection: Connection): DraftReads {
  const { sql, rows } = createReader(connection);
  const drafts = async (statement: Parameters<typeof rows>[0]) => (await rows<DraftRow>(statement)).map(toDraft);
  return {
    async draftStandings(chatIds) {
      const found = new Map<string, Draft[]>();
      for (const row of await rows<Partial<DraftRow> & { ofChat: string }>(sql.draftStandings(chatIds))) {
        const ofChat = found.get(row.ofChat) ?? [];
        found.set(row.ofChat, ofChat);
        if (isDraft(row)) ofChat.push(toDraft(row));
      }
      return chatIds.map((chatId) => found.get(chatId) ?? null);
    },
    draftPieces: async (draft, after, limit) =>
      (await rows<DraftPieceRow>(sql.draftPieces(draft, after, limit))).map(toPiece),
    idleDrafts: (before) => drafts(sql.idleDrafts(before, AT_ONCE)),
    endedDrafts: (before) => drafts(sql.endedDrafts(before, AT_ONCE)),
  };
}

/** A chat without any has a row, too. */
function isDraft(row: Partial<DraftRow>): row is DraftRow {
  return row.id != null;
}

/** What clients ask for. */
export function draftReads({ sql, rows, take }: Reader): Pick<ConversationReads, 'drafts' | 'draftPieces'> {
  return {
    async drafts(chatIds) {
      const found = (await rows<DraftRow>(sql.draftsOf(chatIds), chatIds.length)).map(toDraft);
      return chatIds.map((chatId) => found.filter((draft) => draft.chatId === chatId));
    },

    async draftPieces(draft, after) {
      const { length, bytes } = draft;
      if (after >= length) return [];
      // Before it is read: a draft may have more than one operation may.
      take(bytes);
      return (await rows<DraftPieceRow>(sql.draftPieces(draft, after, length), length - after)).map(toPiece);
    },
  };
}
