/** What the subscriptions have in common. */
import { GraphQLError } from 'graphql';
import { InvalidInputError, NotFoundError } from '../conversation/errors.js';
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
  { live, viewer, following = { startAt: null, position: 0, isOver: false } }: Context,
  place: { chatId: string; after: number | null },
  source: (stream: LogStream, isResumed: boolean) => AsyncIterable<T> | Promise<AsyncIterable<T>>,
): Promise<AsyncIterable<T>> {
  let stream: LogStream | undefined;
  try {
    stream = await openLog(live.feeds, viewer, place, following);
    return await source(stream, following.startAt !== null || place.after !== null);
  } catch (error) {
    await stream?.return();
    if (error instanceof InvalidInputError) throw badUserInput(error.message);
    if (error instanceof NotFoundError) throw new GraphQLError(error.message, { extensions: { code: error.code } });
    throw error;
  }
}

/** The value of an event, to be looked at as things are now. */
export function asOfNow<T>(value: T, _args: unknown, context: Context): T {
  forgetLoaded(context);
  return value;
}
