import { createTransfer, type Transfer } from '@parley/client/transfer';
import { createContext, useContext, useMemo } from 'react';

/** The entered token, for requests outside GraphQL; null when none is needed. */
export const TokenContext = createContext<string | null>(null);

export function useAuthorization(): Record<string, string> {
  const token = useContext(TokenContext);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** Exports and imports of chats. */
export function useTransfer(): Transfer {
  const token = useContext(TokenContext);
  return useMemo(() => createTransfer({ url: '/graphql', ...(token !== null && { token }) }), [token]);
}
