/** The messages of Branch.context: those of the branch and the pending ones, or the newest that fit. */
import type { GraphQLResolveInfo } from 'graphql';
import { messageCodec, type ContextRenderer } from '@parley/context';
import {
  decodePending,
  MessageWindow,
  type PendingMessage,
  SUMMARY_TYPE,
  type WindowOptions,
  withParts,
  messagesPerSource,
  newestMerges,
  renderSource,
  withSources,
  type RenderedSource,
} from '@parley/context/server';
import type { Branch, Message } from '../../conversation/model.js';
import { fromJson } from '../../graphql/answers/saved-json.js';
import type { Context } from '../../graphql/context.js';
import { beginWork } from '../../graphql/limits/begin-work.js';
import { tokensIn } from './message-tokens.js';
import { UNITS_PER_TURN } from '../../scheduler/work-turns.js';

/** Messages read first from the end of a branch; each further step reads twice as many. */
const FIRST_STEP = 64;

interface Limits extends SourceLimits {
  maxTokens?: number | null | undefined;
  lastMessages?: number | null | undefined;
  summaries: boolean;
}

export interface NewestMessages {
  /** In the order of the conversation, the summary first. */
  messages: unknown[];
  summary: Message | null;
  omittedMessages: number;
}

/** @throws ContextError that names a wrong limit or pending message */
export async function newestMessages(
  branch: Branch,
  pending: readonly PendingMessage[],
  limits: Limits,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<NewestMessages> {
  const { maxTokens, lastMessages, summaries } = limits;
  const options: WindowOptions = { maxTokens: maxTokens ?? undefined, lastMessages: lastMessages ?? undefined };
  const window = new MessageWindow(options);
  const readOlder = readerFromEnd(branch, context, info);
  const decode = (message: Message) =>
    fromJson(message, message.data, context, (value) => messageCodec(value).decode());
  // Without a limit, and to find the message that a lazy one replaces, the whole path is read at once.
  const isWhole = (maxTokens == null && lastMessages == null) || pending.some(({ id }) => id === null);
  let path = await readOlder(isWhole ? branch.messageCount : FIRST_STEP);
  const newestFirst: ContextMessage[] = [];
  const counted = async (message: unknown) => {
    const tokens = maxTokens == null ? 0 : await tokensIn(message, context);
    return () => tokens;
  };
  const take = async (each: ContextMessage) => {
    const turn = beginWork(1, context);
    if (turn !== null) await turn;
    return window.takeOlder(each.name, await counted(each.message)) && newestFirst.push(each) > 0;
  };
  for (const { id, name, message } of decodePending(path, pending).toReversed()) {
    await take({ id, name, message: await message, saved: null });
  }
  let summary: Message | null = null;
  let firstSeq = 0;
  for (let step = 2 * FIRST_STEP; path.length > 0; step *= 2) {
    firstSeq = path[0]?.seq ?? firstSeq;
    if (summaries) summary ??= path.findLast(({ type }) => type === SUMMARY_TYPE) ?? null;
    for (const each of path.toReversed()) {
      if (summaries && each.type === SUMMARY_TYPE) {
        window.pass();
        continue;
      }
      const { id, name } = each;
      if (!(await take({ id, name, message: await decode(each), saved: each }))) break;
    }
    path = window.isFull ? [] : await readOlder(step);
  }
  const { chatId, headMessageId: headId } = branch;
  if (!window.isFull) summary = null;
  else if (summaries && summary === null && headId !== null) {
    context.budget?.take(1, info);
    summary = await context.loaders.newestSummary.load({ chatId, headId, beforeSeq: firstSeq });
  }
  const replacement = summary && (await decode(summary));
  const beside = summary && window.keptBeside(await counted(replacement));
  const { messages, span } = beside ?? window.kept();
  const kept = await withSourceMessages(newestFirst.slice(0, messages).reverse(), limits, context, info);
  const list = kept.map(({ message }) => message);
  return {
    messages: withParts(beside ? [replacement, ...list] : list),
    summary: beside && summary,
    omittedMessages: branch.messageCount + pending.length - span,
  };
}

/** @returns a function that reads the next older messages of a branch, root first; none at the root */
function readerFromEnd(
  { chatId, headMessageId, messageCount }: Branch,
  { budget, loaders }: Context,
  info: GraphQLResolveInfo,
): (count: number) => Promise<readonly Message[]> {
  let before = messageCount;
  return async (count) => {
    const last = Math.min(count, before);
    if (headMessageId === null || last === 0) return [];
    budget?.take(last, info);
    const page = { first: null, last, after: null, before };
    before -= last;
    if (last === messageCount) return loaders.chain.load({ chatId, messageId: headMessageId, length: last });
    return (await loaders.pathPage.load({ chatId, headMessageId, messageCount }, page)).rows;
  };
}

/** A message of the context. */
interface ContextMessage {
  id: string | null;
  name: string;
  /** In the form for a model. */
  message: unknown;
  /** null for an unsaved message. */
  saved: Message | null;
}

interface SourceLimits {
  sourceTokens?: number | null | undefined;
  renderer: ContextRenderer;
}

/**
 * Inserts the rendered sources of saved messages, by sourceTokens.
 * @throws ContextError for a wrong budget
 */
async function withSourceMessages(
  messages: readonly ContextMessage[],
  { sourceTokens, renderer }: SourceLimits,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<readonly ContextMessage[]> {
  if (sourceTokens == null) return messages;
  const length = messagesPerSource(sourceTokens);
  const saved = messages.flatMap((each) => each.saved ?? []);
  const rendered: RenderedSource[] = [];
  for (const { messageId, sourceId, path } of await sidesOf(saved, length, context, info)) {
    const side: { name: string; data: unknown }[] = [];
    for (const message of path) {
      side.push({ name: message.name, data: await fromJson(message, message.data, context, (value) => value) });
    }
    await beginWork(UNITS_PER_TURN, context);
    const source = renderSource({ renderer, sourceTokens }, { messageId, sourceId, messages: side });
    if (source !== null) rendered.push(source);
  }
  return withSources(messages, rendered, (message) => ({ id: null, name: message.role, message, saved: null }));
}

/** The newest messages of each side, after the common ancestor. */
async function sidesOf(
  messages: readonly Message[],
  length: number,
  { loaders, budget }: Context,
  info: GraphQLResolveInfo,
): Promise<{ messageId: string; sourceId: string; path: Message[] }[]> {
  const [first, last] = [messages[0], messages.at(-1)];
  if (first === undefined || last === undefined) return [];
  const { chatId } = first;
  const range = { chatId, firstSeq: first.seq, lastSeq: last.seq };
  const merges = newestMerges(messages, await loaders.sourcesInRange.load(range));
  const byId = new Map(messages.map((message) => [message.id, message]));
  const sides = merges.flatMap(({ messageId, sourceIds }) => {
    const parentId = byId.get(messageId)?.parentId ?? null;
    return sourceIds.map(async (sourceId) => {
      const [ancestor, chain] = await Promise.all([
        parentId === null ? null : loaders.commonAncestor.load({ chatId, baseId: parentId, headId: sourceId }),
        loaders.chain.load({ chatId, messageId: sourceId, length }),
      ]);
      const path = chain.filter(({ depth }) => depth > (ancestor?.depth ?? -1));
      budget?.take(path.length, info);
      return { messageId, sourceId, path };
    });
  });
  return Promise.all(sides);
}
