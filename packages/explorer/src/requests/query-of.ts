/** Returns the operation of a place, for GraphiQL. */
import { ListChats, OpenThread } from '@parley/client/operations';
import { ReadBranch, ReadEvents, ReadMessage, ReadOutline } from '../generated/operations.js';
import type { Place } from '../place.js';

export interface QueriedPlace extends Partial<Pick<Place, 'chatId' | 'view' | 'messageId'>> {
  /** The name of a branch of the chat. */
  branch?: string;
}

/** @returns the URL of GraphiQL with the operation */
export function queryOf({ chatId = null, view, messageId = null, branch }: QueriedPlace): string {
  const [query, variables] = ((): [string, object] => {
    if (chatId === null) return [ListChats, { first: 20 }];
    if (branch !== undefined) return [ReadBranch, { chatId, name: branch }];
    if (view === 'graph') return [ReadOutline, { chatId }];
    if (view === 'history') return [ReadEvents, { chatId, last: 100 }];
    if (messageId !== null) return [ReadMessage, { id: messageId }];
    return [OpenThread, { chatId, last: 50 }];
  })();
  return `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString()}`;
}
