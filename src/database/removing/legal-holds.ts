/** Checks and changes of legal holds. Every removal checks them in its transaction, after it has locked the chat. */
import { LegalHoldError } from '../../conversation/errors.js';
import type { Chat } from '../../conversation/model.js';
import type { HoldTarget, LegalHold } from '../../conversation/policies/legal-hold.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Connection, Queryable, Transaction } from '../opening/connection.js';
import { retryDuplicate } from '../opening/retry-duplicate.js';

/** @throws LegalHoldError when the chat or its owner has a hold */
export async function refuseIfHeld(
  tx: Transaction,
  sql: Dialect,
  { id, userId }: Pick<Chat, 'id' | 'userId'>,
): Promise<void> {
  if ((await tx.rows(sql.holds([id], [userId]))).length > 0) throw LegalHoldError.chat(id);
}

/** @throws LegalHoldError when the user, or a chat of the user, has a hold */
export async function refuseHeldUser(db: Queryable, sql: Dialect, userId: string): Promise<void> {
  if ((await db.rows(sql.holds([], [userId]))).length > 0) throw LegalHoldError.user(userId);
  const [held] = await db.rows<{ id: string }>(sql.heldChatOf(userId));
  if (held !== undefined) throw LegalHoldError.erasure(userId, held.id);
}

/**
 * Erasing a user removes the chats of the user, and changes those in which the user acted, is a member or is named as author.
 * @throws LegalHoldError when one of these, or the user, has a hold
 */
export async function refuseHeldErasure({ sql, read, long }: Connection, userId: string): Promise<void> {
  const areHeld = await read(async (db) => {
    if ((await db.rows(sql.holdPage({ after: null, before: null }, 'first', 1))).length === 0) return false;
    await refuseHeldUser(db, sql, userId);
    return true;
  });
  const [held] = areHeld ? await long.rows<{ id: string }>(sql.heldChatBy(userId)) : [];
  if (held !== undefined) throw LegalHoldError.erasure(userId, held.id);
}

/**
 * Sets a hold. A concurrent removal of the chat either has locked its row before, or finds the hold.
 * @returns false for an unknown chat
 */
export function setHold(connection: Connection, hold: LegalHold): Promise<boolean> {
  const { sql, write } = connection;
  const { scope, targetId } = hold;
  const set = async (tx: Transaction) => {
    if (scope === 'CHAT') {
      const isThere = (await tx.rows(sql.lockChat(targetId))).length > 0;
      if (!isThere && (await tx.run(sql.lockDeletion(targetId))) === 0) return false;
    }
    await tx.run(sql.deleteHold(hold));
    await tx.run(sql.insertHold(hold));
    return true;
  };
  return retryDuplicate(connection, () => write(targetId, set));
}

/** @returns false when there was none */
export async function liftHold({ sql, write }: Connection, target: HoldTarget): Promise<boolean> {
  return (await write(target.targetId, (tx) => tx.run(sql.deleteHold(target)))) > 0;
}
