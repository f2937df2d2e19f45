/** Creating, reading and revoking shares: links that give anonymous read access to a path. See docs/access/shares.md. */
import { hash, randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { checkExpiry, checkOptionalName, isPossibleId } from '../../conversation/bounds.js';
import { requireRole } from '../../conversation/chats.js';
import { ForbiddenError, InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { InputChecks } from '../../conversation/input-problems.js';
import type { Viewer } from '../../conversation/model.js';
import { mayAccess, roleOf, type ChatAccess } from '../../conversation/access/ownership.js';
import type { ConversationReads } from '../../conversation/reads.js';
import { pickColumns } from '../../conversation/tables.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { Included } from './projection.js';
import type { Share, ShareRecords } from './share-records.js';
import { digestPaths, type DigestReader, type SharedPlace } from './path-digests.js';
import { FIRST_PATH, pathAt, type ReadShare } from './shared-branches.js';

/** Distinguishes the tokens of shares from access tokens, also for scanners of secrets. */
export const SHARE_TOKEN_PREFIX = 'parley_share_';
/** Longer texts are no tokens: only their beginning is hashed. */
const MAX_TOKEN_CHARACTERS = 100;
/** Shares per chat. */
export const MAX_SHARES = 100;

export interface CreateShareRequest extends Included {
  chatId: string;
  title?: string | null | undefined;
  /** The name of the sharer, for readers. */
  sharedBy?: string | null | undefined;
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
 * Creates a share of one or several paths.
 * @param findPlaces finds the paths in a chat that the viewer may share, first the one that opens first
 * @throws InvalidInputError, NotFoundError, ForbiddenError
 */
export async function createShare(
  { records, store, reader }: { records: ShareRecords; store: ConversationStore; reader: DigestReader },
  viewer: Viewer,
  { chatId, expiresAt = null, includeReasoning, includeTools, ...request }: CreateShareRequest,
  findPlaces: () => Promise<readonly SharedPlace[]>,
): Promise<NewShare> {
  const now = store.now();
  const checks = new InputChecks();
  const title = checks.run(checkOptionalName, request.title, 'title');
  const sharerName = checks.run(checkOptionalName, request.sharedBy, 'sharedBy');
  checks.run(checkExpiry, expiresAt, now);
  checks.end();
  requireRole(viewer, chatId, isPossibleId(chatId) ? await store.chat(chatId) : null, 'OWNER');
  const places = await findPlaces();
  const included = { includeReasoning, includeTools };
  const [opened, ...others] = await digestPaths(places, included, reader);
  if (opened === undefined) throw NotFoundError.chat(chatId);
  const token = SHARE_TOKEN_PREFIX + randomBytes(32).toString('base64url');
  const added = await records.add(
    {
      id: newId(),
      chatId,
      ...pickColumns(opened, ['messageId', 'contentHash', 'hiddenDepths']),
      tokenHash: hash('sha256', token),
      title,
      ...included,
      createdAt: now,
      expiresAt,
      sharerName,
      // Names of branches are private unless several are shared.
      branchName: others.length === 0 ? null : opened.name,
      branches: others.length === 0 ? null : JSON.stringify(others),
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

/**
 * The share of a token, with one of its paths; null for an invalid, expired or revoked one, after the same read for
 * each, and for a path that it does not have.
 */
export async function shareOf(
  { token, branch }: { token: string; branch?: string | null | undefined },
  { reads, store }: { reads: Pick<ConversationReads, 'shareByHash'>; store: ConversationStore },
): Promise<ReadShare | null> {
  const share = await reads.shareByHash(hash('sha256', token.slice(0, MAX_TOKEN_CHARACTERS)));
  return share === null || (share.expiresAt !== null && share.expiresAt <= store.now())
    ? null
    : pathAt(share, branch ?? FIRST_PATH);
}
