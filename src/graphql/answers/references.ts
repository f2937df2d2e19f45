/** Resolves references in stored rows, always within the row's chat. */
import type { GraphQLResolveInfo } from 'graphql';
import { DeletedError } from '../../conversation/errors.js';
import type { Branch, Chat, Message } from '../../conversation/model.js';
import { selectsOnly } from './plain-members.js';
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

/** The columns of a branch's head that the branch has. */
export const HEAD_COLUMNS = ['id', 'depth'] as const;

/** The head as far as its branch has it; null when the chat has no such message. */
export function knownHead({ headMessageId, messageCount }: HeadKey): Pick<Message, 'id' | 'depth'> | null {
  return headMessageId === null || messageCount === 0 ? null : { id: headMessageId, depth: messageCount - 1 };
}

/** The head, which is only read for columns that the branch lacks. */
export function headOf(
  branch: HeadKey,
  _args: unknown,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Message | null> | Message | null {
  if (selectsOnly(HEAD_COLUMNS, info)) return knownHead(branch) as Message | null;
  return messageOrNull(branch.chatId, branch.headMessageId, context);
}

type HeadKey = Pick<Branch, 'chatId' | 'headMessageId' | 'messageCount'>;

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
