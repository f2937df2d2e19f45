import type { Chat } from '../../../conversation/model.js';
import { beginWordStep } from '../../../scheduler/search-limiters.js';
import { matches, type SearchQuery } from '../../../search/query.js';
import { indexedTerms } from '../../../search/terms.js';
import type { Reader } from '../reader.js';

/** UTF-16 units of titles per turn of the event loop, about 10 ms. */
const UNITS_AT_ONCE = 16_000;

/** The chats whose titles match a query, by the rules of message search. */
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
      // The time limit is checked before the next statement; aborted operations end there.
      await beginWordStep(caller && { userId: caller.userId });
      if (content?.isOver === true) return [];
      left = UNITS_AT_ONCE;
    }
    left -= chat.title.length;
    if (matches(indexedTerms(chat.title).terms, query)) found.push(chat);
  }
  return found;
}
