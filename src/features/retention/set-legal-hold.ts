/** Legal holds, which admins set and lift: they refuse the removal of a chat, or of all chats of a user. */
import { checkName, checkOptionalName } from '../../conversation/bounds.js';
import { InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import type { Viewer } from '../../conversation/model.js';
import type { HoldTarget, LegalHold } from './legal-hold.js';
import type { LegalHolds } from './legal-holds.js';

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
