/** Drafts in transactions: under the lock of their chat, or each alone. */
import { setTimeout as pause } from 'node:timers/promises';
import { isPossibleId } from '../../conversation/bounds.js';
import type { ChatChange, PartChange } from '../../conversation/change.js';
import { ForbiddenError } from '../../conversation/errors.js';
import type { ConversationStore, LockedChat } from '../../conversation/store.js';
import type { Connection, Transaction } from '../../database/connection/connection.js';
import { DELETED_OWNER } from '../../database/dialects/base/fragments.js';
import type { Dialect } from '../../database/dialects/dialect.js';
import { PendingDeletionError, removals } from '../../database/removals.js';
import { DatabaseStore } from '../../database/store/database-store.js';
import { DatabaseLockedChat } from '../../database/store/locked-chat.js';
import { LOCK_PAUSE_MS } from '../../scheduler/lock-pacing.js';
import { draftNotFound, type Draft, type DraftKey, type DraftNote, type DraftPiece, type Growth } from './draft.js';
import { draftSql } from './statements.js';

const PIECES_PER_STEP = 1_000;

/** The drafts of a chat under its lock. Results do not include the change. */
export class LockedDrafts {
  readonly #in: DatabaseLockedChat;
  readonly #sql;

  constructor(
    readonly locked: LockedChat,
    readonly change: ChatChange,
  ) {
    this.#in = DatabaseLockedChat.of(locked);
    this.#sql = draftSql(this.#in.sql);
  }

  /** The open drafts, oldest first. */
  async all(): Promise<Draft[]> {
    return await this.#in.tx.rows<Draft>(this.#in.sql.openRows('drafts', [this.#in.chat.id]));
  }

  /** The draft with this id, open or ended; null when there is none. It is locked until the change is written. */
  async find(id: string): Promise<Draft | null> {
    if (!isPossibleId(id)) return null;
    const [row] = await this.#in.tx.rows<Draft>(this.#sql.lockDraft({ chatId: this.#in.chat.id, id }));
    return row ?? null;
  }

  /** @throws NotFoundError for an unknown or ended draft */
  async open(key: DraftKey): Promise<Draft> {
    const draft = await this.find(key.id);
    if (draft === null || draft.endedAt !== null) throw draftNotFound(key);
    return draft;
  }

  /** Whether another chat has a draft with this id. */
  async isForeign(id: string): Promise<boolean> {
    const [row] = await this.#in.tx.rows<{ chatId: string; ofUser: string }>(this.#sql.chatOfDraft(id));
    if (row === undefined || row.chatId === this.#in.chat.id) return false;
    if (row.ofUser === DELETED_OWNER) throw new PendingDeletionError(row.chatId);
    return true;
  }

  /** All pieces of a draft so far, in order. */
  async pieces(draft: Draft): Promise<DraftPiece[]> {
    this.#in.scope.content?.take(draft.bytes);
    return this.#in.tx.rows<DraftPiece>(this.#in.sql.partsAfter('drafts', draft, 0, Math.max(1, draft.length)));
  }

  /** @param replaced the ended draft with the same id */
  start(draft: Draft, replaced: Draft | null): void {
    const { tx, sql } = this.#in;
    if (replaced !== null) tx.runLast(sql.deleteParted('drafts', draft));
    tx.runLast(sql.insertRows('drafts', [draft]));
    this.change.part = { ...partOf({ draft }), isNew: true, endedBytes: null };
  }

  /** @throws ForbiddenError for the draft of another user, for a COMMENTER */
  write(note: DraftNote): void {
    const { draft } = note;
    const { role, actorId } = this.change;
    if (role === 'COMMENTER' && draft.startedBy !== actorId) throw new ForbiddenError('WRITER');
    writeDraft(this.#in.tx, this.#in.sql, note);
    const endedBytes = draft.endedAt === null ? null : draft.bytes + Buffer.byteLength(draft.metadata ?? '');
    this.change.part = { ...partOf({ draft }), isNew: false, endedBytes };
  }
}

/**
 * Locks a draft alone, runs `work` with its present state (open or ended) and writes the result. When `work` throws,
 * nothing is written.
 */
export async function writeAlone(
  store: ConversationStore,
  key: DraftKey,
  work: (draft: Draft | null, now: number) => DraftNote,
): Promise<Draft> {
  const database = DatabaseStore.of(store);
  const { sql, write } = database.connection;
  const { before, note } = await write(`draft ${key.id}`, async (tx) => {
    const [before = null] = await tx.rows<Draft>(draftSql(sql).lockDraft(key));
    const note = work(before, store.now());
    if (note.draft !== before) writeDraft(tx, sql, note);
    return { before, note };
  });
  const { draft, piece, isUnnoticed = false } = note;
  if (draft !== before && !isUnnoticed)
    database.announcePart(partOf(note), piece && ({ draft, piece } satisfies Growth));
  return draft;
}

function writeDraft(tx: Transaction, sql: Dialect, { draft, piece }: DraftNote): void {
  tx.runLast(draftSql(sql).updateDraft(draft));
  const { chatId, id } = draft;
  if (piece !== undefined) tx.runLast(sql.insertRows('draft_chunks', [{ draftId: id, ...piece, chatId }]));
}

/** The notification of a change: with a length, the draft has grown and nothing else has changed. */
function partOf({ draft: { chatId, id, length, stoppedBy }, piece }: Pick<DraftNote, 'draft' | 'piece'>): PartChange {
  return { chatId, partId: id, length: piece !== undefined && stoppedBy === null ? length : null };
}

/** Deletes an ended draft in steps. Several processes may do so concurrently; a later draft with the same id stays. */
export async function removeDraft({ sql, write }: Connection, draft: Draft): Promise<void> {
  const { removeParts } = await removals();
  for (;;) {
    const isDone = await write(`draft ${draft.id}`, async (tx) => {
      const [row] = await tx.rows<Draft>(draftSql(sql).lockDraft(draft));
      if (row === undefined || row.endedAt !== draft.endedAt) return true;
      const count = await removeParts(tx, sql, 'drafts', draft, PIECES_PER_STEP);
      if (count < PIECES_PER_STEP) await tx.run(sql.deleteParted('drafts', draft));
      return count < PIECES_PER_STEP;
    });
    if (isDone) return;
    await pause(LOCK_PAUSE_MS);
  }
}
