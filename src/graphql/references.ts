/** What rows refer to: the database keeps it as long as they are there. */
import { GoneError } from '../conversation/errors.js';
import type { Branch, Chat, Message } from '../conversation/model.js';
import type { Context } from './context.js';

export async function chatOf({ chatId }: { chatId: string }, _args: unknown, { loaders }: Context): Promise<Chat> {
  return found(await loaders.chat.load(chatId), 'The chat');
}

export async function messageOf(
  { messageId }: { messageId: string },
  _args: unknown,
  { loaders }: Context,
): Promise<Message> {
  return found(await loaders.message.load(messageId), 'The message');
}

/** The branch of an event, as it is now; null once it has been deleted. */
export function branchOf(
  { payload }: { payload: { branchId: string } },
  _args: unknown,
  { loaders }: Context,
): Promise<Branch | null> {
  return loaders.branch.load(payload.branchId);
}

/** @throws GoneError when it is not there any more: of a subscription, that answer is left out */
export function found<T>(value: T | null, what: string): T {
  if (value === null) throw new GoneError(what);
  return value;
}
