/** What the subscriptions have in common. */
import { GraphQLError } from 'graphql';
import { InvalidInputError, NotFoundError } from '../conversation/errors.js';
import { mayAccess } from '../conversation/ownership.js';
import type { Following } from '../events/following.js';
import type { LogStream } from '../events/log-stream.js';
import { openLog } from '../events/open-log.js';
import { badUserInput } from './bad-user-input.js';
import { forgetLoaded, type Context } from './context.js';

/**
 * The source of a subscription that follows the log of a chat. When it is refused, its operation is answered with an
 * error of code NOT_FOUND or BAD_USER_INPUT.
 *
 * @param source what the log tells in this subscription; isResumed says that its beginning is known to whoever runs it
 */
export async function followLog<T>(
  { live, viewer, following = fromNow() }: Context,
  place: { chatId: string; after: number | null },
  source: (stream: LogStream, isResumed: boolean) => AsyncIterable<T> | Promise<AsyncIterable<T>>,
): Promise<AsyncIterable<T>> {
  let stream: LogStream | undefined;
  try {
    stream = await openLog(live.feeds, viewer, place, following);
    return await source(stream, following.startAt !== null || place.after !== null);
  } catch (error) {
    await stream?.return();
    return refused(error);
  }
}

/** @throws GraphQLError with code NOT_FOUND or BAD_USER_INPUT for what the rules refuse, and anything else as it is */
export function refused(error: unknown): never {
  if (error instanceof InvalidInputError) throw badUserInput(error.message);
  if (error instanceof NotFoundError) throw notFound(error);
  throw error;
}

/** For an operation that nobody runs for several clients. */
export function fromNow(): Following {
  return { startAt: null, position: 0, isOver: false };
}

/** Waits for the turn of the next answer of a subscription, which has the bounds of a query and reads everything anew. */
export async function beginAnswer(context: Context): Promise<void> {
  await context.beginAnswer?.();
  forgetLoaded(context);
  context.budget?.reset();
}

/**
 * The value of an event, to be looked at as things are now. Whether the chat is the viewer's is asked again each time:
 * the one that was may be gone with all that told of it, and its id be somebody else's by now. Of a chat that was deleted
 * there is only that to tell, and it was the viewer's.
 * @throws GraphQLError with code NOT_FOUND, which ends the subscription
 */
export async function asOfNow<T extends { chatId: string; type?: string }>(
  value: T,
  _args: unknown,
  context: Context,
): Promise<T> {
  await beginAnswer(context);
  const { loaders, viewer } = context;
  if (viewer.isAdmin || value.type === 'ChatDeleted') return value;
  const chat = await loaders.chat.load(value.chatId);
  if (chat !== null && !mayAccess(viewer, chat)) throw notFound(NotFoundError.chat(value.chatId));
  return value;
}

function notFound({ message, code }: NotFoundError): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
