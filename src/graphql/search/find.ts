import { isPossibleId } from '../../conversation/bounds.js';
import { parseQuery } from '../../search/query.js';
import { badUserInput } from '../bad-user-input.js';
import { toConnection, type Connection } from '../connection.js';
import type { Context } from '../context.js';
import { decodeHitCursor, encodeHitCursor } from '../cursors.js';
import { readPage } from '../page-arguments.js';
import type { SearchHit } from './type.js';

export interface SearchArguments {
  query: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}

/** How many names a search takes. */
const MAX_NAMES = 100;

/**
 * What a query finds among the messages that the viewer may read, best first.
 * @param chatId of the one chat to look into; null for all
 * @param names of messages; null for any
 */
export async function find(
  { reads, viewer }: Context,
  { query: text, ...args }: SearchArguments,
  chatId: string | null,
  names: readonly string[] | null,
): Promise<Connection<SearchHit>> {
  const { first, after } = readPage(args, decodeHitCursor);
  if (names !== null && names.length > MAX_NAMES) {
    throw badUserInput(`names must have at most ${MAX_NAMES} elements, not ${names.length}`);
  }
  const query = parseQuery(text);
  const possibleNames = names?.filter(isPossibleId) ?? null;
  const isPossible = (chatId === null || isPossibleId(chatId)) && possibleNames?.length !== 0;
  const filter = { userId: viewer.isAdmin ? null : viewer.userId, chatId, names: possibleNames };
  const { rows, hasNextPage } = isPossible
    ? await reads.search(query, filter, { first: first ?? 0, after })
    : { rows: [], hasNextPage: false };
  const hits = rows.map((hit): SearchHit => ({ ...hit, query }));
  return toConnection({ rows: hits, hasNextPage, hasPreviousPage: after !== null }, (hit) =>
    encodeHitCursor(hit.position),
  );
}
