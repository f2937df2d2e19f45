import { createTransfer, type Transfer } from '@parley/client/transfer';
import { createContext, useContext, useMemo } from 'react';

/** The token that was given, for what is asked beside GraphQL; null where none is needed. */
export const TokenContext = createContext<string | null>(null);

export function useAuthorization(): Record<string, string> {
  const token = useContext(TokenContext);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** Whole chats in and out. */
export function useTransfer(): Transfer {
  const token = useContext(TokenContext);
  return useMemo(() => createTransfer({ url: '/graphql', ...(token !== null && { token }) }), [token]);
}
