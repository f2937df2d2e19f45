import { createContext, useContext } from 'react';

/** The token that was given, for what is asked beside GraphQL; null where none is needed. */
export const TokenContext = createContext<string | null>(null);

export function useAuthorization(): Record<string, string> {
  const token = useContext(TokenContext);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}
