/**
 * Pages of a path from a root to a message. A cursor names a message, not a depth: when the path does not contain that
 * message, as after a switch, the page is refused.
 */
import { isPossibleId } from '../../conversation/bounds.js';
import type { Message } from '../../conversation/model.js';
import type { PageRequest } from '../../conversation/paging.js';
import type { PathKey } from '../../conversation/reads.js';
import { badUserInput } from '../bad-user-input.js';
import { builder } from '../builder.js';
import type { CountedConnection } from '../pages/connection.js';
import type { Context } from '../context.js';
import { cursorElsewhere, decodePathCursor, encodePathCursor } from '../pages/cursors.js';
import type { Loaders } from '../loading/loaders.js';
import { readPage, type PageArguments } from '../pages/page-arguments.js';

interface PathArguments extends PageArguments {
  around?: string | null | undefined;
}

export const pathArguments = builder.args((t) => ({
  ...t.connectionArgs(),
  around: t.id({
    description:
      'A message on the path, in the middle of a page of `first` messages, fewer at the ends of the path. Cannot be ' +
      'combined with `after`, `before` or `last`.',
  }),
}));

/** @throws GraphQLError with code BAD_USER_INPUT when the arguments are wrong */
export async function loadPath(
  path: PathKey,
  args: PathArguments,
  { loaders }: Context,
): Promise<CountedConnection<Message>> {
  const { around } = args;
  const page = await (around == null ? pageBetween(path, args, loaders) : pageAround(path, around, args, loaders));
  const slice = await loaders.pathPage.load(path, page);
  return { page: slice, cursorOf: ({ id }) => encodePathCursor(id), totalCount: slice.totalCount };
}

async function pageBetween(path: PathKey, args: PathArguments, loaders: Loaders): Promise<PageRequest<number>> {
  const page = readPage(args, decodePathCursor);
  const placeOf = async (argument: 'after' | 'before') => {
    const messageId = page[argument];
    if (messageId === null) return null;
    const depth = await depthOn(path, messageId, loaders);
    if (depth === null || depth < (path.fromDepth ?? 0)) throw cursorElsewhere(argument);
    return depth;
  };
  const [after, before] = await Promise.all([placeOf('after'), placeOf('before')]);
  return { ...page, after, before };
}

async function pageAround(
  path: PathKey,
  around: string,
  { first, last, after, before }: PathArguments,
  loaders: Loaders,
): Promise<PageRequest<number>> {
  if (last != null || after != null || before != null) {
    throw badUserInput('around cannot be given together with after, before or last');
  }
  const size = readPage({ first }, decodePathCursor).first ?? 0;
  const depth = isPossibleId(around) ? await depthOn(path, around, loaders) : null;
  if (depth === null) throw badUserInput('around is not the id of a message on this path');
  const start = depth - Math.floor(size / 2);
  return { first: null, last: null, after: start > 0 ? start - 1 : null, before: start + size };
}

async function depthOn(
  { chatId, headMessageId }: PathKey,
  messageId: string,
  loaders: Loaders,
): Promise<number | null> {
  return headMessageId === null ? null : loaders.placeOnPath.load({ chatId, headId: headMessageId, messageId });
}
