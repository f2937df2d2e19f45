/** The messages of Branch.context: those of the branch and the pending ones, or the newest that fit. */
import type { GraphQLResolveInfo } from 'graphql';
import { messageCodec } from '@parley/context';
import {
  decodePending,
  MessageWindow,
  type PendingMessage,
  type WindowOptions,
  withParts,
} from '@parley/context/server';
import type { Branch, Message } from '../../conversation/model.js';
import { fromJson } from '../answers/saved-json.js';
import type { Context } from '../context.js';

/** Messages read first from the end of a branch; each further step reads twice as many. */
const FIRST_STEP = 64;

interface Limits {
  maxTokens?: number | null | undefined;
  lastMessages?: number | null | undefined;
}

interface NewestMessages {
  /** In the order of the conversation. */
  messages: unknown[];
  omittedMessages: number;
}

/** @throws ContextError that names a wrong limit or pending message */
export async function newestMessages(
  branch: Branch,
  pending: readonly PendingMessage[],
  { maxTokens, lastMessages }: Limits,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<NewestMessages> {
  const options: WindowOptions = { maxTokens: maxTokens ?? undefined, lastMessages: lastMessages ?? undefined };
  const window = new MessageWindow(options);
  const path = new PathFromEnd(branch, context, info);
  // Without a limit, and to find the message that a lazy one replaces, the whole path is read at once.
  const isWhole = (maxTokens == null && lastMessages == null) || pending.some(({ id }) => id === null);
  if (isWhole) await path.readOlder(branch.messageCount);
  const unsaved = decodePending(path.messages, pending);
  const newestFirst: unknown[] = [];
  const take = (name: string, message: unknown) => window.takeOlder(name, message) && newestFirst.push(message) > 0;
  for (const { name, message } of unsaved.toReversed()) take(name, await message);
  for (let taken = 0, step = FIRST_STEP; !window.isFull && taken < branch.messageCount; step *= 2) {
    if (taken === path.messages.length) await path.readOlder(step);
    // Nothing more: the branch was deleted or damaged meanwhile.
    if (taken === path.messages.length) break;
    for (const { name, data } of path.messages.slice(0, path.messages.length - taken).reverse()) {
      const message = fromJson(data, context, (value) => messageCodec(value).decode());
      if (!take(name, message instanceof Promise ? await message : message)) break;
      taken++;
    }
  }
  const count = window.kept();
  return {
    messages: withParts(newestFirst.slice(0, count).reverse()),
    omittedMessages: branch.messageCount + pending.length - count,
  };
}

/** Reads a branch from its end, in steps. */
class PathFromEnd {
  /** The messages that were read, the oldest first. */
  messages: Message[] = [];

  constructor(
    private readonly branch: Branch,
    private readonly context: Context,
    private readonly info: GraphQLResolveInfo,
  ) {}

  async readOlder(count: number): Promise<void> {
    const { chatId, headMessageId, messageCount } = this.branch;
    const before = messageCount - this.messages.length;
    const length = Math.min(count, before);
    if (headMessageId === null || length === 0) return;
    this.context.budget?.take(length, this.info);
    const { loaders } = this.context;
    const page = { first: null, last: length, after: null, before };
    const isWhole = length === messageCount;
    const older = isWhole
      ? await loaders.chain.load({ chatId, messageId: headMessageId, length })
      : (await loaders.pathPage.load({ chatId, headMessageId, messageCount }, page)).rows;
    this.messages = [...older, ...this.messages];
  }
}
