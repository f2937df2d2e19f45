import type { Chat } from '../../conversation/model.js';
import { wordsTurn } from '../../limits/search-turns.js';
import { matches, type SearchQuery } from '../../search/query.js';
import { indexedTerms } from '../../search/terms.js';
import type { Reader } from './reader.js';

/** How much of titles is gone through in one turn of the event loop, in UTF-16 units: some 10 ms. */
const UNITS_AT_ONCE = 16_000;

/** Those chats whose titles have what a query asks for, as a search would find them in a message with that text. */
export async function filterByTitle<T extends Pick<Chat, 'title'>>(
  chats: readonly T[],
  query: SearchQuery,
  { caller, content }: Pick<Reader, 'caller' | 'content'>,
): Promise<T[]> {
  const found: T[] = [];
  let left = 0;
  for (const chat of chats) {
    if (chat.title === null) continue;
    if (left <= 0) {
      // Its time is looked at before the next statement; what nobody waits for any more ends there.
      await wordsTurn(caller && { userId: caller.userId });
      if (content?.isOver === true) return [];
      left = UNITS_AT_ONCE;
    }
    left -= chat.title.length;
    if (matches(indexedTerms(chat.title).terms, query)) found.push(chat);
  }
  return found;
}
