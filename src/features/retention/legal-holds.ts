/** The stored legal holds, and their refusals. */
import { raw } from 'sql-template-tag';
import type { PageRequest, Slice } from '../../conversation/paging.js';
import type { FeatureReads } from '../../conversation/reads.js';
import type { ChangeHooks, Rows } from '../../database/change-hooks.js';
import type { Connection, Transaction } from '../../database/connection/connection.js';
import { retryDuplicate } from '../../database/connection/retry-duplicate.js';
import { positionedPage } from '../../database/reading/positioned-page.js';
import { LegalHoldError, type Holdable, type HoldTarget, type LegalHold } from './legal-hold.js';
import { isHeld, retentionStatements } from './statements.js';
import { checkName, checkOptionalName } from '../../conversation/bounds.js';
import { InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import type { Viewer } from '../../conversation/model.js';

declare module '../../conversation/reads.js' {
  interface FeatureReads {
    /** The legal hold on each chat or its owner; null without one. */
    legalHolds(keys: readonly Holdable[]): Promise<(LegalHold | null)[]>;
    /** Ordered by scope and target. */
    holdPage(page: PageRequest<HoldTarget>): Promise<Omit<Slice<LegalHold>, 'totalCount'>>;
  }
}

export class LegalHolds {
  readonly #sql: ReturnType<typeof retentionStatements>;

  constructor(private readonly connection: Pick<Connection, 'sql' | 'read' | 'long' | 'write'>) {
    this.#sql = retentionStatements(connection.sql.differences);
  }

  /** The reads of an operation. */
  readonly reads = (db: Rows): Pick<FeatureReads, 'legalHolds' | 'holdPage'> => ({
    legalHolds: async (keys) => {
      const chatIds = keys.flatMap(({ chatId }) => chatId ?? []);
      const holds = await db.rows<LegalHold>(this.#sql.holds(chatIds, [...new Set(keys.map(({ userId }) => userId))]));
      const found = new Map(holds.map((hold) => [`${hold.scope} ${hold.targetId}`, hold]));
      const ofChat = (chatId: string | null) => (chatId === null ? undefined : found.get(`CHAT ${chatId}`));
      return keys.map(({ chatId, userId }) => ofChat(chatId) ?? found.get(`USER ${userId}`) ?? null);
    },
    holdPage: (page) =>
      positionedPage(page, {
        read: (range, from, limit) => db.rows<LegalHold>(this.#sql.holdPage(range, from, limit)),
        positionOf: ({ scope, targetId }) => ({ scope, targetId }),
      }),
  });

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

  /** Refuses removals, transfers and erasures under a hold. */
  guard(): ChangeHooks {
    const sql = this.#sql;
    const { read, long } = this.connection;
    const refuse = async (db: Rows, refusal: string, userId: string, chatIds: readonly string[] = []) => {
      if ((await db.rows(sql.holds(chatIds, [userId]))).length > 0) throw new LegalHoldError(refusal);
    };
    const refuseErasure = (userId: string, [held]: readonly { id: string }[]) => {
      if (held !== undefined)
        throw new LegalHoldError(`User "${userId}" cannot be erased, because chat "${held.id}" is under a legal hold`);
    };
    const refuseHeldUser = async (db: Rows, userId: string) => {
      await refuse(db, `User "${userId}" is under a legal hold and cannot be erased`, userId);
      refuseErasure(userId, await db.rows(sql.heldChatOf(userId)));
    };
    return {
      isKept: isHeld(this.connection.sql.differences, raw('i."chatId"'), raw('i."userId"')),
      mayRemove: ({ id, userId }, tx) =>
        refuse(tx, `Chat "${id}" is under a legal hold and cannot be deleted`, userId, [id]),
      // Also chats of others in which the user acted, is a member or is named as author: an erasure changes them.
      mayErase: async (userId, tx) => {
        if (tx !== null) return refuseHeldUser(tx, userId);
        const areHolds = await read(async (db) => {
          if ((await db.rows(sql.holdPage({ after: null, before: null }, 'first', 1))).length === 0) return false;
          await refuseHeldUser(db, userId);
          return true;
        });
        if (areHolds) refuseErasure(userId, await long.rows(sql.heldChatBy(userId)));
      },
      // The hold of a user would not cover the chat of another user.
      check: ({ newOwnerId }, { id, userId }, tx) =>
        newOwnerId === null
          ? undefined
          : refuse(tx, `The owner of chat "${id}" is under a legal hold, so that it cannot be transferred`, userId),
    };
  }
}

/** Holds apply without settings. */
export const holdGuard = (connection: Connection): ChangeHooks => new LegalHolds(connection).guard();

export interface HoldRequest {
  /** Exactly one of the two. */
  chatId?: string | null | undefined;
  userId?: string | null | undefined;
}

/**
 * Sets a hold, or replaces its reason. The chat may be a deleted one that can still be restored.
 * @throws InvalidInputError; NotFoundError for an unknown chat
 */
export async function setLegalHold(
  holds: LegalHolds,
  viewer: Viewer,
  request: HoldRequest & { reason: string },
  now: number,
): Promise<LegalHold> {
  const target = targetOf(viewer, request);
  const reason = checkName(request.reason, 'reason');
  const hold = { ...target, reason, createdBy: viewer.userId, createdAt: now };
  if (!(await holds.set(hold))) throw NotFoundError.chat(target.targetId);
  return hold;
}

/** @throws InvalidInputError; NotFoundError without a hold */
export async function liftLegalHold(holds: LegalHolds, viewer: Viewer, request: HoldRequest): Promise<HoldTarget> {
  const target = targetOf(viewer, request);
  if (await holds.lift(target)) return target;
  const held = target.scope === 'CHAT' ? 'Chat' : 'User';
  throw new NotFoundError(`${held} "${target.targetId}" has no legal hold`);
}

function targetOf(viewer: Viewer, request: HoldRequest): HoldTarget {
  if (!viewer.isAdmin) throw new InvalidInputError('only an admin may set and lift legal holds', null);
  const [chatId, userId] = (['chatId', 'userId'] as const).map((name) => checkOptionalName(request[name], name));
  if (chatId != null && userId == null) return { scope: 'CHAT', targetId: chatId };
  if (userId != null && chatId == null) return { scope: 'USER', targetId: userId };
  throw new InvalidInputError('Exactly one of chatId and userId is required', chatId == null ? 'chatId' : 'userId');
}
