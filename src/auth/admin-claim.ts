/** Whether a token's claims make an admin: see AuthOptions.adminClaim. */
export function isAdminBy(adminClaim: string, claims: Readonly<Record<string, unknown>>): boolean {
  const [name = '', ...rest] = adminClaim.split('=');
  const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (rest.length === 0) return claim === true;
  const wanted = rest.join('=');
  // OAuth has scopes as one text, with spaces between them.
  return Array.isArray(claim) ? claim.includes(wanted) : typeof claim === 'string' && claim.split(' ').includes(wanted);
}

/** The claim that does. */
export function claimOfAdmin(adminClaim: string): Record<string, unknown> {
  const [name = '', ...rest] = adminClaim.split('=');
  return { [name]: rest.length === 0 ? true : rest.join('=') };
}
