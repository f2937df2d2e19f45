/** Claims of tokens, by name or by path. */

type Claims = Readonly<Record<string, unknown>>;

/**
 * The value of a claim.
 * @param name a name, such as `https://id.example/roles`; if there is no such claim, the path to one, such as `realm_access.roles`
 */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((at, member) => {
    const isThere = typeof at === 'object' && at !== null && Object.hasOwn(at, member);
    return isThere ? (at as Claims)[member] : undefined;
  }, claims);
}

/** Whether a token's claims make its user an admin: see AuthOptions.adminClaim. */
export function isAdminBy(adminClaim: string, claims: Claims): boolean {
  const { name, wanted } = partsOf(adminClaim);
  const claim = claimOf(claims, name);
  if (wanted === undefined) return claim === true;
  // OAuth scopes are one text, separated by spaces.
  return Array.isArray(claim) ? claim.includes(wanted) : typeof claim === 'string' && claim.split(' ').includes(wanted);
}

/** The claims of an admin. */
export function claimOfAdmin(adminClaim: string): Record<string, unknown> {
  const { name, wanted } = partsOf(adminClaim);
  return { [name]: wanted ?? true };
}

function partsOf(adminClaim: string): { name: string; wanted: string | undefined } {
  const [name = '', ...rest] = adminClaim.split('=');
  return { name, wanted: rest.length === 0 ? undefined : rest.join('=') };
}
