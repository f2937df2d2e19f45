/** The stored legal holds. */
import { MAX_INT } from '../../conversation/bounds.js';
import type { Chat } from '../../conversation/model.js';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import type { Rows } from '../../database/change-hooks.js';
import type { Connection, Transaction } from '../../database/opening/connection.js';
import { retryDuplicate } from '../../database/opening/retry-duplicate.js';
import { positionedPage } from '../../database/reading/positioned-page.js';
import { LegalHoldError, type Holdable, type HoldTarget, type LegalHold } from './legal-hold.js';
import { retentionStatements } from './statements.js';

export class LegalHolds {
  readonly #sql: ReturnType<typeof retentionStatements>;

  constructor(private readonly connection: Pick<Connection, 'sql' | 'read' | 'readLong' | 'write'>) {
    this.#sql = retentionStatements(connection.sql.differences);
  }

  /** The hold on each chat or its owner; null without one. */
  async of(keys: readonly Holdable[]): Promise<(LegalHold | null)[]> {
    const chatIds = keys.flatMap(({ chatId }) => chatId ?? []);
    const statement = this.#sql.holds(chatIds, [...new Set(keys.map(({ userId }) => userId))]);
    const holds = await this.connection.read((db) => db.rows<LegalHold>(statement));
    const found = new Map(holds.map((hold) => [`${hold.scope} ${hold.targetId}`, hold]));
    const ofChat = (chatId: string | null) => (chatId === null ? undefined : found.get(`CHAT ${chatId}`));
    return keys.map(({ chatId, userId }) => ofChat(chatId) ?? found.get(`USER ${userId}`) ?? null);
  }

  /** Ordered by scope and target. */
  page(page: PageRequest<HoldTarget>): Promise<Omit<Slice<LegalHold>, 'totalCount'>> {
    const { read } = this.connection;
    const sql = this.#sql;
    return positionedPage(page, {
      read: (range, from, limit) =>
        read((db) => db.rows<LegalHold>(sql.holdPage(range, from, Math.min(limit, MAX_INT)))),
      isAnythingAt: (range) => read(async (db) => (await db.rows(sql.holdPage(range, 'first', 1))).length > 0),
      positionOf: ({ scope, targetId }) => ({ scope, targetId }),
    });
  }

  /**
   * Sets a hold. A concurrent removal of the chat either has locked its row before, or finds the hold.
   * @returns false for an unknown chat
   */
  set(hold: LegalHold): Promise<boolean> {
    const { connection } = this;
    const sql = this.#sql;
    const { scope, targetId } = hold;
    const set = async (tx: Transaction) => {
      if (scope === 'CHAT') {
        const isThere = (await tx.rows(connection.sql.lockChat(targetId))).length > 0;
        if (!isThere && (await tx.run(sql.lockDeletion(targetId))) === 0) return false;
      }
      await tx.run(sql.deleteHold(hold));
      await tx.run(sql.insertHold(hold));
      return true;
    };
    return retryDuplicate(connection, () => connection.write(targetId, set));
  }

  /** @returns false when there was none */
  async lift(target: HoldTarget): Promise<boolean> {
    return (await this.connection.write(target.targetId, (tx) => tx.run(this.#sql.deleteHold(target)))) > 0;
  }

  /** @throws LegalHoldError when the chat or its owner has a hold */
  async refuseRemoval({ id, userId }: Pick<Chat, 'id' | 'userId'>, tx: Rows): Promise<void> {
    if ((await tx.rows(this.#sql.holds([id], [userId]))).length > 0) throw LegalHoldError.chat(id);
  }

  /**
   * The hold of a user would not cover the chat of another user.
   * @throws LegalHoldError when the owner has a hold
   */
  async refuseTransfer({ id, userId }: Pick<Chat, 'id' | 'userId'>, tx: Rows): Promise<void> {
    if ((await tx.rows(this.#sql.holds([], [userId]))).length > 0) throw LegalHoldError.transfer(id);
  }

  /** @throws LegalHoldError when the user, or a chat of the user, has a hold */
  async refuseHeldUser(userId: string, db: Rows): Promise<void> {
    if ((await db.rows(this.#sql.holds([], [userId]))).length > 0) throw LegalHoldError.user(userId);
    const [held] = await db.rows<{ id: string }>(this.#sql.heldChatOf(userId));
    if (held !== undefined) throw LegalHoldError.erasure(userId, held.id);
  }

  /**
   * Erasing a user removes the chats of the user, and changes those in which the user acted, is a member or is named as author.
   * @throws LegalHoldError when one of these, or the user, has a hold
   */
  async refuseErasure(userId: string): Promise<void> {
    const { read, readLong } = this.connection;
    const sql = this.#sql;
    const areHeld = await read(async (db) => {
      if ((await db.rows(sql.holdPage({ after: null, before: null }, 'first', 1))).length === 0) return false;
      await this.refuseHeldUser(userId, db);
      return true;
    });
    const [held] = areHeld ? await readLong<{ id: string }>(sql.heldChatBy(userId)) : [];
    if (held !== undefined) throw LegalHoldError.erasure(userId, held.id);
  }
}
