import { GraphQLError } from 'graphql';
import { InvalidInputError, NotFoundError } from '../conversation/errors.js';
import { mayAccess } from '../conversation/access/ownership.js';
import type { Following } from '../events/following.js';
import type { LogStream } from '../events/log-stream.js';
import { openLog } from '../events/open-log.js';
import { badUserInput } from './bad-user-input.js';
import { renewLoaders, type Context } from './context.js';

/**
 * The source of a subscription to the log of a chat. A refusal becomes an error with code NOT_FOUND or BAD_USER_INPUT.
 * @param source maps events to the answers of this subscription; isResumed means that the client's state at the start
 * is known
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

/** @throws GraphQLError with code NOT_FOUND or BAD_USER_INPUT for expected failures, and any other error unchanged */
export function refused(error: unknown): never {
  if (error instanceof InvalidInputError) throw badUserInput(error.message);
  if (error instanceof NotFoundError) throw notFound(error);
  throw error;
}

/** For an operation that is not shared. */
export function fromNow(): Following {
  return { startAt: null, position: 0, isOver: false };
}

/**
 * Waits for the turn of the next answer of a subscription, which has the limits of a query and reads everything again.
 */
export async function beginAnswer(context: Context): Promise<void> {
  await context.beginAnswer?.();
  renewLoaders(context);
  context.budget?.reset();
}

/**
 * Checks an event against the current state. The chat's owner is checked each time: the chat may be deleted, with
 * another user's chat under its id by now. A deleted chat has only its deletion to report, to its last owner.
 * @throws GraphQLError with code NOT_FOUND, which ends the subscription
 */
export async function asOfNow<T extends { chatId: string; type?: string }>(
  value: T,
  _args: unknown,
  context: Context,
): Promise<T> {
  await beginAnswer(context);
  const { viewer } = context;
  if (viewer.isAdmin || value.type === 'ChatDeleted') return value;
  const chat = await context.loaders.chat.load(value.chatId);
  if (chat !== null && !mayAccess(viewer, chat)) throw notFound(NotFoundError.chat(value.chatId));
  return value;
}

function notFound({ message, code }: NotFoundError): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
