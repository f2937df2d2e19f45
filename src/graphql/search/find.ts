import { isPossibleId } from '../../conversation/bounds.js';
import type { Hit, HitSlice } from '../../conversation/reads.js';
import { cut } from '../../search/cut.js';
import { MAX_QUERY_LENGTH } from '../../search/query.js';
import { badUserInput } from '../bad-user-input.js';
import { visibleChat } from '../chat/visible-chat.js';
import { toConnection, type Connection } from '../connection.js';
import type { Context } from '../context.js';
import { decodeHitCursor, encodeHitCursor } from '../cursors.js';
import { readPage } from '../page-arguments.js';

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
  context: Context,
  { query, ...args }: SearchArguments,
  chatId: string | null,
  names: readonly string[] | null,
): Promise<Connection<Hit>> {
  const { reads, loaders, viewer } = context;
  const { first, after } = readPage(args, decodeHitCursor);
  if (names !== null && names.length > MAX_NAMES) {
    throw badUserInput(`names must have at most ${MAX_NAMES} elements, not ${names.length}`);
  }
  const possibleNames = names?.filter(isPossibleId) ?? null;
  const search = {
    // No more of it than counts: it is a part of the loader's key.
    query: cut(query, MAX_QUERY_LENGTH),
    userId: viewer.isAdmin ? null : viewer.userId,
    names: possibleNames,
    first: first ?? 0,
    after,
  };
  // In a chat of somebody else nothing is looked for: that could take longer than in one that is not there.
  const isPossible = possibleNames?.length !== 0 && (chatId === null || (await visibleChat(context, chatId)) !== null);
  let found: HitSlice = { rows: [], hasNextPage: false };
  if (isPossible) found = await (chatId === null ? reads.hits(search) : loaders.hitPage.load(chatId, search));
  return toConnection({ ...found, hasPreviousPage: after !== null }, (hit) => encodeHitCursor(hit.position));
}
