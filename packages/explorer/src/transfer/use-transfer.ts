import { createTransfer, type Transfer } from '@parley/client/transfer';
import { use, useMemo } from 'react';
import { TokenContext } from '../token.js';

/** Exports and imports of chats. */
export function useTransfer(): Transfer {
  const token = use(TokenContext);
  return useMemo(() => createTransfer({ url: '/graphql', ...(token !== null && { token }) }), [token]);
}
