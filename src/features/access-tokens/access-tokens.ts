/** Creating, listing and revoking access tokens. An access token sees and revokes only itself, and creates none. */
import { hash, randomBytes } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { checkExpiry, checkName, isPossibleId } from '../../conversation/bounds.js';
import { InvalidInputError, NotFoundError } from '../../conversation/errors.js';
import { InputChecks } from '../../conversation/input-problems.js';
import type { AccessScope, Viewer } from '../../conversation/model.js';
import { mayAccess } from '../../conversation/access/ownership.js';
import type { ConversationStore } from '../../conversation/store.js';
import type { AccessToken, AccessTokenRecords } from './token-records.js';
import { highestScope, scopesUpTo } from '../../conversation/access/access-scopes.js';

/** Distinguishes access tokens from tokens of an issuer, also for scanners of secrets. */
export const ACCESS_TOKEN_PREFIX = 'parley_';

/** Access tokens per user. */
export const MAX_ACCESS_TOKENS = 100;

export interface CreateAccessTokenRequest {
  name: string;
  /** Each includes those before. MANAGE cannot be given together with chatId. */
  scopes: readonly AccessScope[];
  /** The only chat that it may access. */
  chatId?: string | null | undefined;
  /** In milliseconds since 1970; without it, the token is valid until it is revoked. */
  expiresAt?: number | null | undefined;
}

/** A token with its secret, which is not stored. */
export interface NewAccessToken extends AccessToken {
  token: string;
}

/**
 * Creates a token with which a program acts as the viewer, without admin rights.
 * @throws InvalidInputError, NotFoundError
 */
export async function createAccessToken(
  { records, store }: { records: AccessTokenRecords; store: ConversationStore },
  viewer: Viewer,
  { scopes, chatId = null, expiresAt = null, ...request }: CreateAccessTokenRequest,
): Promise<NewAccessToken> {
  if (viewer.accessToken !== undefined) {
    throw new InvalidInputError('An access token cannot create access tokens: sign in as the user', null);
  }
  const now = store.now();
  const checks = new InputChecks();
  const name = checks.run(checkName, request.name, 'name');
  checks.run(() => {
    if (scopes.length === 0) throw new InvalidInputError('scopes must have at least one element', 'scopes');
  });
  checks.run(checkExpiry, expiresAt, now);
  checks.end();
  const scope = highestScope(scopes);
  if (chatId !== null) {
    // The effects of MANAGE outlive the revocation of the token.
    if (scope === 'MANAGE') {
      throw new InvalidInputError('scopes: MANAGE cannot be given together with chatId: use WRITE', 'scopes');
    }
    const chat = isPossibleId(chatId) ? await store.chat(chatId) : null;
    if (chat === null || !mayAccess({ ...viewer, isAdmin: false }, chat)) throw NotFoundError.chat(chatId);
  }
  const token = ACCESS_TOKEN_PREFIX + randomBytes(32).toString('base64url');
  const row = {
    id: newId(),
    userId: viewer.userId,
    name,
    scopes: scopesUpTo(scope).join(' '),
    chatId,
    createdAt: now,
    lastUsedAt: null,
    expiresAt,
    tokenHash: hash('sha256', token),
  };
  const added = await records.add(row, MAX_ACCESS_TOKENS);
  if (added === null) {
    throw new InvalidInputError(`A user can have ${MAX_ACCESS_TOKENS} access tokens: revoke one first`, null);
  }
  return { ...added, token };
}

/**
 * Deletes a token of the viewer.
 * @throws NotFoundError
 */
export async function revokeAccessToken(records: AccessTokenRecords, viewer: Viewer, id: string): Promise<void> {
  const isVisible = viewer.accessToken === undefined || viewer.accessToken.id === id;
  if (!isPossibleId(id) || !isVisible || !(await records.remove(id, viewer.userId))) {
    throw new NotFoundError(`Access token "${id}" not found`);
  }
}

/** The tokens of the viewer, newest first. */
export function accessTokensOf(records: AccessTokenRecords, viewer: Viewer): Promise<AccessToken[]> {
  const { userId, accessToken } = viewer;
  return accessToken === undefined ? records.ofUser(userId, MAX_ACCESS_TOKENS) : records.byIds([accessToken.id]);
}

export function scopesOf({ scopes }: Pick<AccessToken, 'scopes'>): AccessScope[] {
  return scopes.split(' ') as AccessScope[];
}
