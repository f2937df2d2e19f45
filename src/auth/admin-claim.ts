/** Whether a token's claims make its user an admin: see AuthOptions.adminClaim. */
export function isAdminBy(adminClaim: string, claims: Readonly<Record<string, unknown>>): boolean {
  const [name = '', ...rest] = adminClaim.split('=');
  const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (rest.length === 0) return claim === true;
  const wanted = rest.join('=');
  // OAuth scopes are one text, separated by spaces.
  return Array.isArray(claim) ? claim.includes(wanted) : typeof claim === 'string' && claim.split(' ').includes(wanted);
}

/** The claims of an admin. */
export function claimOfAdmin(adminClaim: string): Record<string, unknown> {
  const [name = '', ...rest] = adminClaim.split('=');
  return { [name]: rest.length === 0 ? true : rest.join('=') };
}
