/** Drafts, for clients and for subscribers. */
import { MAX_DRAFT_BYTES, type Draft, type DraftPiece, type DraftStanding } from '../../conversation/drafts/draft.js';
import type { DraftReads } from '../../conversation/drafts/draft-reads.js';
import type { ConversationReads, DraftPart } from '../../conversation/reads.js';
import type { Connection } from '../connection/connection.js';
import { createReader, type Reader } from './reader.js';

/** Drafts per poll for idle or ended ones. */
const DRAFTS_PER_READ = 100;

/** Reads for subscribers, outside any operation's budget. */
export function createDraftReads(connection: Connection): DraftReads {
  const { sql, rows } = createReader(connection);
  const drafts = async (statement: Parameters<typeof rows>[0]) => await rows<Draft>(statement);
  return {
    async draftStandings(chatIds) {
      const found = new Map<string, DraftStanding[]>();
      for (const row of await rows<Partial<Draft> & { ofChat: string }>(sql.draftStandings(chatIds))) {
        const ofChat = found.get(row.ofChat) ?? [];
        found.set(row.ofChat, ofChat);
        if (isDraft(row)) ofChat.push(row);
      }
      return chatIds.map((chatId) => found.get(chatId) ?? null);
    },
    draftPieces: async (...wanted) => await rows<DraftPiece>(sql.draftPieces(...wanted)),
    idleDrafts: (before) => drafts(sql.idleDrafts(before, DRAFTS_PER_READ)),
    endedDrafts: (before) => drafts(sql.endedDrafts(before, DRAFTS_PER_READ)),
  };
}

/** A chat without drafts also has a row. */
function isDraft(row: Partial<Draft>): row is Draft {
  return row.id != null;
}

/** Reads for clients. */
export function draftReads(reader: Reader): Pick<ConversationReads, 'drafts' | 'draftPieces'> {
  return {
    async drafts(chatIds) {
      const found = new Map(chatIds.map((id): [string, Draft[]] => [id, []]));
      for (const ids of cut(chatIds, reader.chatsAtOnce, () => 1)) {
        for (const row of await reader.rows<Draft>(reader.sql.draftsOf(ids), ids.length)) {
          reader.take(row.metadata?.length ?? 0);
          found.get(row.chatId)?.push(row);
        }
      }
      return chatIds.map((chatId) => found.get(chatId) ?? []);
    },

    async draftPieces(keys) {
      const found = new Map(keys.map((key): [DraftPart, DraftPiece[]] => [key, []]));
      const wanted = keys.filter(({ draft, after }) => after < draft.length);
      // Counted before reading: drafts may exceed an operation's limit.
      reader.take(wanted.reduce((sum, { draft }) => sum + draft.bytes, 0));
      for (const after of new Set(wanted.map((key) => key.after))) {
        const parts = wanted.filter((key) => key.after === after);
        for (const some of cut(parts, MAX_DRAFT_BYTES, ({ draft }) => draft.bytes)) {
          await readPieces(reader, some, after, found);
        }
      }
      return keys.map((key) => found.get(key) ?? []);
    },
  };
}

interface PieceOfRow extends DraftPiece {
  draftId: string;
  startedAt: number;
}

async function readPieces(
  { sql, rows }: Reader,
  parts: readonly DraftPart[],
  after: number,
  found: ReadonlyMap<DraftPart, DraftPiece[]>,
): Promise<void> {
  const count = parts.reduce((sum, { draft }) => sum + draft.length - after, 0);
  const byDraft = new Map(parts.map((part) => [`${part.draft.startedAt} ${part.draft.id}`, part]));
  for (const row of await rows<PieceOfRow>(
    sql.piecesOf(
      parts.map(({ draft }) => draft),
      after,
    ),
    count,
  )) {
    // The draft may have been replaced, or have grown, since its row was read.
    const part = byDraft.get(`${row.startedAt} ${row.draftId}`);
    const { startOffset, endOffset, chunks } = row;
    if (part !== undefined && endOffset <= part.draft.length) found.get(part)?.push({ startOffset, endOffset, chunks });
  }
}

/** Splits a list into pieces of bounded size, except single larger elements. */
function cut<T>(things: readonly T[], most: number, sizeOf: (thing: T) => number): T[][] {
  const pieces: T[][] = [];
  let piece: T[] = [];
  let size = 0;
  for (const thing of things) {
    size += sizeOf(thing);
    if (piece.length === 0 || size > most) {
      pieces.push((piece = []));
      size = sizeOf(thing);
    }
    piece.push(thing);
  }
  return pieces;
}
