/** Drafts, for clients and for subscribers. */
import { MAX_DRAFT_BYTES, type Draft, type DraftIdentity, type DraftPiece, type DraftStanding } from './draft.js';
import { declareReads } from '../../conversation/read-rules.js';
import type { FeatureReads } from '../../conversation/reads.js';
import type { CountedRows } from '../../database/change-hooks.js';
import type { Connection } from '../../database/connection/connection.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import { createReader } from '../../database/reading/reader.js';
import { draftSql } from './statements.js';

/** The chunks of a draft after a number of chunks. */
export interface DraftPart {
  readonly draft: Pick<Draft, 'chatId' | 'id' | 'startedAt' | 'length' | 'bytes'>;
  readonly after: number;
}

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** The drafts of each chat, oldest first. */
    drafts(chatIds: readonly string[]): Promise<Draft[][]>;
    /** The pieces of each draft after its first `after` chunks, in order, up to its length when it was read. */
    draftPieces(keys: readonly DraftPart[]): Promise<DraftPiece[][]>;
  }
}

declareReads({ drafts: { chats: 'given' } });

/** Drafts per poll for idle or ended ones. */
const DRAFTS_PER_READ = 100;

/** Reads for subscribers, outside any operation's budget. */
export function createDraftReads(connection: Connection) {
  const { rows } = createReader(connection);
  const sql = draftSql(connection.sql);
  return {
    /** The drafts of each chat, recently ended ones included; null for an unknown chat. */
    async draftStandings(chatIds: readonly string[]): Promise<(DraftStanding[] | null)[]> {
      const found = new Map<string, DraftStanding[]>();
      for (const row of await rows<Partial<Draft> & { ofChat: string }>(sql.draftStandings(chatIds))) {
        const ofChat = found.get(row.ofChat) ?? [];
        found.set(row.ofChat, ofChat);
        if (isDraft(row)) ofChat.push(row);
      }
      return chatIds.map((chatId) => found.get(chatId) ?? null);
    },
    /**
     * Pieces of a draft after its first `after` chunks, in order. At most `limit`, and none after the piece that reaches
     * `maxBytes`. Pieces of a later draft with the same id are left out.
     */
    draftPieces: (draft: DraftIdentity, after: number, limit: number, maxBytes: number) =>
      rows<DraftPiece>(connection.sql.partsAfter('drafts', draft, after, limit, maxBytes)),
    /** Some of the drafts without an append since a time. */
    idleDrafts: (before: number) => rows<Draft>(sql.idleDrafts(before, DRAFTS_PER_READ)),
    /** Some of the drafts that ended before a time. */
    endedDrafts: (before: number) => rows<Draft>(sql.endedDrafts(before, DRAFTS_PER_READ)),
  };
}

export type DraftReads = ReturnType<typeof createDraftReads>;

/** A chat without drafts also has a row. */
function isDraft(row: Partial<Draft>): row is Draft {
  return row.id != null;
}

/** Reads for clients. */
export function draftReads(dialect: Dialect, reader: CountedRows): Pick<FeatureReads, 'drafts' | 'draftPieces'> {
  return {
    async drafts(chatIds) {
      const found = new Map(chatIds.map((id): [string, Draft[]] => [id, []]));
      for (const ids of cut(chatIds, reader.chatsAtOnce, () => 1)) {
        for (const row of await reader.rows<Draft>(dialect.openRows('drafts', ids), ids.length)) {
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
          await readPieces({ rows: reader.rows, sql: draftSql(dialect) }, some, after, found);
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
  { sql, rows }: Pick<CountedRows, 'rows'> & { sql: ReturnType<typeof draftSql> },
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
