/** The scopes of access tokens, each with the rights of those before. Users themselves have all of them. */
import type { AccessScope, Viewer } from '../model.js';

const SCOPES: readonly AccessScope[] = ['READ', 'WRITE', 'MANAGE'];

/** Whether the viewer is a user, or an access token with a scope. */
export function hasScope({ accessToken }: Viewer, required: AccessScope): boolean {
  return accessToken === undefined || scopesUpTo(accessToken.scope).includes(required);
}

/** The scope that includes all of these. */
export function highestScope(scopes: readonly AccessScope[]): AccessScope {
  return SCOPES.findLast((scope) => scopes.includes(scope)) ?? 'READ';
}

/** A scope and those that it includes, as stored and listed. */
export function scopesUpTo(scope: AccessScope): readonly AccessScope[] {
  return SCOPES.slice(0, SCOPES.indexOf(scope) + 1);
}
