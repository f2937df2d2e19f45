/** Creating, reading and revoking shares: links that give anonymous read access to a path. See docs/access/shares.md. */
import { hash, randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { checkExpiry, checkOptionalName, isPossibleId } from '../../conversation/bounds.js';
import { requireRole } from '../../conversation/chats.js';
import { ForbiddenError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { InputChecks } from '../../conversation/input-problems.js';
import type { Message, Viewer } from '../../conversation/model.js';
import { mayAccess, roleOf, type ChatAccess } from '../../conversation/access/ownership.js';
import type { ConversationReads } from '../../conversation/reads.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { Included } from './projection.js';
import type { Share, SharedEnd, ShareRecords } from './share-records.js';
import { digestOfPath, type PathReader } from './shared-path.js';

/** Distinguishes the tokens of shares from access tokens, also for scanners of secrets. */
export const SHARE_TOKEN_PREFIX = 'parley_share_';
/** Longer texts are no tokens: only their beginning is hashed. */
const MAX_TOKEN_CHARACTERS = 100;
/** Shares per chat. */
export const MAX_SHARES = 100;

export interface CreateShareRequest extends Included {
  chatId: string;
  title?: string | null | undefined;
  /** In milliseconds since 1970; without it, the share is valid until it is revoked. */
  expiresAt?: number | null | undefined;
}

/** A share with its token, which is not stored. */
export interface NewShare extends Share {
  token: string;
}

/** Whether the viewer may create, list and revoke the shares of a chat: its owner, and admins. */
export function mayShare(viewer: Viewer, chat: ChatAccess): boolean {
  return mayAccess(viewer, chat, 'OWNER');
}

/**
 * Creates a share of the path to a message.
 * @param findEnd finds the last message of the path in a chat that the viewer may share
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export async function createShare(
  { records, store, path }: { records: ShareRecords; store: ConversationStore; path: PathReader },
  viewer: Viewer,
  { chatId, expiresAt = null, includeReasoning, includeTools, ...request }: CreateShareRequest,
  findEnd: () => Promise<Message>,
): Promise<NewShare> {
  const now = store.now();
  const checks = new InputChecks();
  const title = checks.run(checkOptionalName, request.title, 'title');
  checks.run(checkExpiry, expiresAt, now);
  checks.end();
  requireRole(viewer, chatId, isPossibleId(chatId) ? await store.chat(chatId) : null, 'OWNER');
  const end = await findEnd();
  const included = { includeReasoning, includeTools };
  const token = SHARE_TOKEN_PREFIX + randomBytes(32).toString('base64url');
  const added = await records.add(
    {
      id: newId(),
      chatId,
      messageId: end.id,
      tokenHash: hash('sha256', token),
      title,
      ...(await digestOfPath(end, included, path)),
      ...included,
      createdAt: now,
      expiresAt,
    },
    { mayShare: (present) => mayShare(viewer, present), limit: MAX_SHARES },
  );
  if (added === 'missing') throw NotFoundError.chat(chatId);
  if (added === 'full') throw new InvalidInputError(`A chat can have ${MAX_SHARES} shares: revoke one first`, 'chatId');
  return { ...added.share, token };
}

/**
 * Deletes a share: its token is invalid from now on.
 * @returns the id of its chat
 * @throws NotFoundError, ForbiddenError
 */
export async function revokeShare(
  { records, store }: { records: ShareRecords; store: ConversationStore },
  viewer: Viewer,
  id: string,
): Promise<string> {
  const share = isPossibleId(id) ? await records.byId(id) : null;
  // A chat is always read, so that the response time does not distinguish a missing share from a foreign one.
  const chat = isPossibleId(id) ? await store.chat(share?.chatId ?? id) : null;
  const role = chat === null ? null : roleOf(viewer, chat);
  const isVisible = share !== null && role !== null;
  if (isVisible && role !== 'OWNER') throw new ForbiddenError('OWNER');
  if (!isVisible || !(await records.remove(share))) throw new NotFoundError(`Share "${id}" not found`);
  return share.chatId;
}

/** The share of a token; null for an invalid, expired or revoked one, after the same read for each. */
export async function shareOf(
  token: string,
  { reads, store }: { reads: Pick<ConversationReads, 'shareByHash'>; store: ConversationStore },
): Promise<SharedEnd | null> {
  const share = await reads.shareByHash(hash('sha256', token.slice(0, MAX_TOKEN_CHARACTERS)));
  return share === null || (share.expiresAt !== null && share.expiresAt <= store.now()) ? null : share;
}
