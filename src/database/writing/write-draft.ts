/** Writes changes of drafts. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ChatChange } from '../../conversation/change.js';
import type { Draft, DraftNote } from '../../conversation/drafts/draft.js';
import { LOCK_PAUSE_MS } from '../../scheduler/lock-pacing.js';
import type { Connection, Transaction } from '../connection/connection.js';
import type { Dialect } from '../dialects/dialect.js';

/** Pieces deleted per step. */
const PIECES_PER_STEP = 1_000;

/** A draft that starts, grows or ends with a change of its chat, with the commit. */
export function writeDrafts(tx: Transaction, sql: Dialect, { startedDraft, changedDraft }: ChatChange): void {
  if (startedDraft?.replaced) tx.runLast(sql.deleteDraft(startedDraft.draft));
  if (startedDraft) tx.runLast(sql.insertDraft(startedDraft.draft));
  if (changedDraft) writeDraft(tx, sql, changedDraft);
}

/** A change of a draft alone, with the commit. */
export function writeDraft(tx: Transaction, sql: Dialect, { draft, piece }: DraftNote): void {
  tx.runLast(sql.updateDraft(draft));
  if (piece !== undefined) tx.runLast(sql.insertPiece(draft, piece));
}

/** Deletes an ended draft in steps. Several processes may do so concurrently; a later draft with the same id stays. */
export async function removeDraft({ sql, write }: Connection, draft: Draft): Promise<void> {
  for (;;) {
    const isDone = await write(`draft ${draft.id}`, async (tx) => {
      const [row] = await tx.rows<Draft>(sql.lockDraft(draft));
      if (row === undefined || row.endedAt !== draft.endedAt) return true;
      const [last] = await tx.rows<{ endOffset: number | null }>(sql.nthPiece(draft, PIECES_PER_STEP));
      const count = last?.endOffset == null ? 0 : await tx.run(sql.deletePieces(draft, last.endOffset));
      if (count < PIECES_PER_STEP) await tx.run(sql.deleteDraft(draft));
      return count < PIECES_PER_STEP;
    });
    if (isDone) return;
    await pause(LOCK_PAUSE_MS);
  }
}
