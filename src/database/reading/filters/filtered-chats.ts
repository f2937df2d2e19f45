import type { ChatFilter, ChatPosition } from '../../../conversation/reads.js';
import type { ChatRange } from '../../dialects/base/chats.js';
import { beginWordStep } from '../../../scheduler/search-limiters.js';
import { matches, type SearchQuery } from '../../../search/query.js';
import { indexedTerms } from '../../../search/terms.js';
import type { Dialect } from '../../dialects/dialect.js';
import type { Reader } from '../reader.js';
import { boundedPieces } from '../../../system/bounded-pieces.js';

/** Limits of one filter statement: chats, and approximate bytes of their metadata. */
const CHATS_AT_ONCE = 1_000;
const BYTES_AT_ONCE = 4 * 1024 ** 2;

/** A filter tests the titles of at most this many chats that the words select, otherwise all in list order. */
const MAX_CANDIDATES = 1_000;
/** The terms of a filter that are looked up: the longest ones. */
const MAX_TERMS = 4;

/** More bytes than this are filtered in a worker. */
const FEW_BYTES = 256 * 1024;

/** UTF-16 units of titles per turn of the event loop, about 10 ms. */
const UNITS_AT_ONCE = 16_000;

interface Listed extends ChatPosition {
  title: string | null;
  /** The size of the metadata, where it is filtered here. */
  bytes?: number;
}

const bytesOf = ({ bytes = 0 }: Listed): number => bytes;

/** Whether a filter is evaluated in steps: titles by the program, and metadata where it has no index. */
export function goesInSteps({ title, metadata }: ChatFilter, { matching }: Dialect['filterSteps']): boolean {
  return title != null || (metadata.length > 0 && matching !== null);
}

/** The ids of matching chats in list order, in batches: a user may have any number of chats. */
export async function* idsOfFiltered(
  reader: Pick<Reader, 'sql' | 'rows' | 'caller' | 'content'>,
  filter: ChatFilter,
  range: ChatRange,
  order: 'newest' | 'oldest',
): AsyncGenerator<string[]> {
  const { listed, matching } = reader.sql.filterSteps;
  const { title = null, metadata } = filter;
  // Only punctuation or exclusions: no results.
  if (title?.required.length === 0) return;
  const among = title === null || filter.chatId != null ? null : await candidatesOf(title, reader);
  if (among?.length === 0) return;
  let { after, before } = range;
  let found: Listed[];
  do {
    found = await reader.rows<Listed>(listed(filter, { after, before }, order, CHATS_AT_ONCE, among));
    const titled = title === null ? found : await filterByTitle(found, title, reader);
    if (matching === null || metadata.length === 0) yield titled.map(({ id }) => id);
    else {
      for (const piece of boundedPieces(titled, bytesOf, BYTES_AT_ONCE)) {
        const ids = piece.map(({ id }) => id);
        const bytes = piece.reduce((sum, each) => sum + bytesOf(each), 0);
        const met = new Set<string>();
        const expected = bytes > FEW_BYTES ? Infinity : 0;
        for (const { id } of await reader.rows<{ id: string }>(matching(ids, metadata), expected)) met.add(id);
        yield ids.filter((id) => met.has(id));
      }
    }
    const last = found.at(-1);
    const position = last === undefined ? null : { updatedAt: last.updatedAt, id: last.id };
    if (order === 'newest') after = position;
    else before = position;
  } while (found.length === CHATS_AT_ONCE);
}

/** The ids of all chats whose titles may match; null if they are too many, so that reading the list is faster. */
async function candidatesOf(
  { index }: SearchQuery,
  { sql, rows }: Pick<Reader, 'sql' | 'rows'>,
): Promise<string[] | null> {
  const terms = index.slice(0, MAX_TERMS);
  const lists = Array.from({ length: terms.length + 1 }, (): string[] => []);
  for (const { n, id } of await rows<{ n: number; id: string }>(sql.titleCandidates(terms, MAX_CANDIDATES + 1)))
    lists[n]?.push(id);
  const outdated = lists.pop() ?? [];
  // A longer list is not complete.
  const [first, ...others] = lists.filter((ids) => ids.length <= MAX_CANDIDATES).map((ids) => new Set(ids));
  if (first === undefined || outdated.length > MAX_CANDIDATES) return null;
  const inAll = [...first].filter((id) => others.every((ids) => ids.has(id)));
  return [...new Set([...inAll, ...outdated])];
}

/** The chats whose titles match a query, by the rules of message search. */
async function filterByTitle<T extends Pick<Listed, 'title'>>(
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
