/** The operation behind what is on the screen, for GraphiQL. */
import { ListChats, OpenThread, ReadPath } from '@parley/client/operations';
import { ReadEvents } from './history/events.js';
import { ReadOutline } from './picture/outline.js';
import type { Place } from './place.js';

/** @returns the address of GraphiQL with the operation in it */
export function queryOf({ chatId, view, messageId }: Place): string {
  const [query, variables] = ((): [string, object] => {
    if (chatId === null) return [ListChats, { first: 20 }];
    if (view === 'picture') return [ReadOutline, { chatId }];
    if (view === 'history') return [ReadEvents, { chatId, last: 100 }];
    if (messageId !== null) return [ReadPath, { messageId, last: 50 }];
    return [OpenThread, { chatId, last: 50 }];
  })();
  return `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables) }).toString()}`;
}
