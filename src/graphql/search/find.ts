import { isPossibleId } from '../../conversation/bounds.js';
import { membersOf, onlyChatOf } from '../../conversation/access/ownership.js';
import type { Chat, Viewer } from '../../conversation/model.js';
import type { Hit, HitSlice } from '../../conversation/reads.js';
import { cut } from '../../search/cut.js';
import { MAX_QUERY_LENGTH } from '../../search/query.js';
import { badUserInput } from '../bad-user-input.js';
import { visibleChat } from '../loading/visible-chat.js';
import type { Connection } from '../pages/connection.js';
import type { Context } from '../context.js';
import { decodeHitCursor, encodeHitCursor } from '../pages/cursors.js';
import { readPage } from '../pages/page-arguments.js';

export interface SearchArguments {
  query: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}

export interface Among {
  /** The chat to search; null for all. */
  chatId: string | null;
  /** Owner of the chats to search; null for all that the viewer may read. */
  userId?: string | null | undefined;
  /** Whether to search chats of others of which the viewer, or the user of userId, is a member. @default false */
  includeShared?: boolean | undefined;
  /** Names of messages; null for any. */
  names: readonly string[] | null;
  /** Both ends exclusive. */
  createdAfter?: number | null | undefined;
  createdBefore?: number | null | undefined;
}

export const MAX_NAMES = 100;

/** Finds messages that the viewer may read, best match first. */
export async function find(
  context: Context,
  { query, ...args }: SearchArguments,
  { userId, includeShared = false, names, createdAfter = null, createdBefore = null, ...among }: Among,
): Promise<Connection<Hit>> {
  const { reads, loaders, viewer } = context;
  const { first, after } = readPage(args, decodeHitCursor);
  const chatId = among.chatId ?? onlyChatOf(viewer);
  if (names !== null && names.length > MAX_NAMES) {
    throw badUserInput(`names must have at most ${MAX_NAMES} elements, not ${names.length}`);
  }
  if (userId != null && userId !== viewer.userId && !viewer.isAdmin) {
    throw badUserInput("filter.userId: only an admin may search another user's chats");
  }
  const possibleNames = names?.filter(isPossibleId) ?? null;
  // A foreign chat is not searched: the time could differ from that of a missing chat.
  const isPossible = possibleNames?.length !== 0 && (userId == null || isPossibleId(userId));
  const visible = isPossible && chatId !== null ? await visibleChat(context, chatId) : null;
  // The chat of an access token is searched by default like all chats; a chat named by the client is searched anyway.
  const isAsked = among.chatId !== null || includeShared || viewer.isAdmin || visible?.userId === viewer.userId;
  const chat = isAsked ? visible : null;
  const search = {
    // Shortened to the effective part: it is part of the loader's key.
    query: cut(query, MAX_QUERY_LENGTH),
    userId: searchedOwner(viewer, chat, { userId, includeShared }),
    includeShared: includeShared && chatId === null,
    names: possibleNames,
    createdAfter,
    createdBefore,
    first: first ?? 0,
    after,
  };
  let found: HitSlice = { rows: [], hasNextPage: false };
  if (chat !== null) found = await loaders.hitPage.load(chat.id, search);
  else if (isPossible && chatId === null) found = await reads.hits(search);
  return { page: { ...found, hasPreviousPage: after !== null }, cursorOf: ({ position }) => encodeHitCursor(position) };
}

/** The owner of the chats to search; null for any. */
function searchedOwner(
  { userId: own, isAdmin }: Viewer,
  chat: Chat | null,
  { userId, includeShared }: Pick<Among, 'userId' | 'includeShared'>,
): string | null {
  if (userId == null) return isAdmin ? null : (chat?.userId ?? own);
  const isShared =
    includeShared === true && chat !== null && membersOf(chat).some((member) => member.userId === userId);
  return isShared ? chat.userId : userId;
}
