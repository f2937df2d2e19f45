/** Resolves references in stored rows, always within the row's chat. */
import { DeletedError } from '../../conversation/errors.js';
import type { Branch, Chat, Message } from '../../conversation/model.js';
import type { Context } from '../context.js';

export async function chatOf({ chatId }: { chatId: string }, _args: unknown, { loaders }: Context): Promise<Chat> {
  return found(await loaders.chat.load(chatId), 'The chat');
}

export async function messageOf(
  { chatId, messageId: id }: { chatId: string; messageId: string },
  _args: unknown,
  { loaders }: Context,
): Promise<Message> {
  return found(await loaders.message.load({ chatId, id }), 'The message');
}

/** The message of a row's nullable column; null when the row names none or its chat has none. */
export function messageOrNull(chatId: string, id: string | null, { loaders }: Context): Promise<Message | null> | null {
  return id === null ? null : loaders.message.load({ chatId, id });
}

export function headOf(
  { chatId, headMessageId }: Pick<Branch, 'chatId' | 'headMessageId'>,
  _args: unknown,
  context: Context,
): Promise<Message | null> | null {
  return messageOrNull(chatId, headMessageId, context);
}

/** The current branch of an event; null after its deletion. */
export function branchOf(
  { chatId, payload }: { chatId: string; payload: { branchId: string } },
  _args: unknown,
  { loaders }: Context,
): Promise<Branch | null> {
  return loaders.branch.load({ chatId, id: payload.branchId });
}

/** @throws DeletedError when it was deleted: a subscription omits that answer */
export function found<T>(value: T | null, what: string): T {
  if (value === null) throw new DeletedError(what);
  return value;
}
