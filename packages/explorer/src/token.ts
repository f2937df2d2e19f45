import { createContext, useContext, useMemo } from 'react';

/** The entered token, for requests outside GraphQL; null when none is needed. */
export const TokenContext = createContext<string | null>(null);

export function useAuthorization(): Record<string, string> {
  const token = useContext(TokenContext);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** The id of the user, from the token; without a token, that of the local user. */
export function useViewerId(): string | null {
  const token = useContext(TokenContext);
  return useMemo(() => (token === null ? 'local' : subjectOf(token)), [token]);
}

/** Null for a token that is no JWT. */
function subjectOf(token: string): string | null {
  try {
    const payload = token.split('.')[1] ?? '';
    const { sub } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/'))) as { sub?: unknown };
    return typeof sub === 'string' ? sub : null;
  } catch {
    return null;
  }
}
