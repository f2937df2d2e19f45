import { createTransfer, type Transfer } from '@parley/client/transfer';
import { useMemo } from 'react';

/** Exports and imports of chats. */
export const useTransfer = (): Transfer => useMemo(() => createTransfer({ url: '/graphql' }), []);
