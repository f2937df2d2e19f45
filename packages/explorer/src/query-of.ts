/** Returns the operation of the current view, for GraphiQL. */
import { ListChats, OpenThread, ReadPath } from '@parley/client/operations';
import { ReadEvents, ReadOutline } from './generated/operations.js';
import type { Place } from './place.js';

/** @returns the URL of GraphiQL with the operation */
export function queryOf({ chatId, view, messageId }: Place): string {
  const [query, variables] = ((): [string, object] => {
    if (chatId === null) return [ListChats, { first: 20 }];
    if (view === 'graph') return [ReadOutline, { chatId }];
    if (view === 'history') return [ReadEvents, { chatId, last: 100 }];
    if (messageId !== null) return [ReadPath, { messageId, last: 50 }];
    return [OpenThread, { chatId, last: 50 }];
  })();
  return `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString()}`;
}
