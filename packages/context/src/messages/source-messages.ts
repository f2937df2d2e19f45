/** The sources of messages, rendered as messages of a model call. */
import type { ContextFragment } from '../fragments/fragment.js';
import type { ContextRenderer } from '../renderers/context-renderer.js';
import { checkCount } from '../counts.js';
import { tokensOf, type WindowOptions } from './message-window.js';
import { plainTextOf } from './plain-text.js';
import type { UIMessage } from './ui-message.js';

/** Sources of one call. */
const MAX_SOURCES_PER_CALL = 32;
/** Messages read of the path to a source. */
export const MAX_MESSAGES_PER_SOURCE = 100;
/** Tokens of each source. */
const MAX_SOURCE_TOKENS = 100_000;

export interface SourceOptions extends Pick<WindowOptions, 'countTokens'> {
  renderer: ContextRenderer;
  sourceTokens: number;
}

/** The messages that a message draws on by one source: those after the common ancestor of the source and the message's parent. */
export interface SourceSide {
  messageId: string;
  sourceId: string;
  /** The newest ones, oldest first. */
  messages: readonly { name: string; data: unknown }[];
}

/** A side as a model reads it. */
export interface RenderedSource {
  messageId: string;
  sourceId: string;
  text: string;
  tokens: number;
}

/**
 * The number of messages to read of the path to each source: each has at least one token.
 * @throws ContextError for a wrong budget
 */
export function messagesPerSource(sourceTokens: number): number {
  return Math.min(MAX_MESSAGES_PER_SOURCE, checkCount(sourceTokens, 'sourceTokens', 1, MAX_SOURCE_TOKENS));
}

/**
 * The newest messages that have sources, newest first, as long as all of their sources are within the limit of a call.
 * @param messages in the order of the conversation
 * @param sourcesOf the ids of sources by the ids of messages
 */
export function newestMerges(
  messages: readonly { id: string }[],
  sourcesOf: ReadonlyMap<string, readonly string[]>,
): { messageId: string; sourceIds: readonly string[] }[] {
  const merges = [];
  let count = 0;
  for (const { id } of sourcesOf.size === 0 ? [] : messages.toReversed()) {
    const sourceIds = sourcesOf.get(id);
    if (sourceIds === undefined) continue;
    count += sourceIds.length;
    if (count > MAX_SOURCES_PER_CALL) break;
    merges.push({ messageId: id, sourceIds });
  }
  return merges;
}

/** Renders the newest messages with a text that fit into sourceTokens; null if none does. */
export function renderSource(
  { renderer, sourceTokens, countTokens }: SourceOptions,
  { messageId, sourceId, messages }: SourceSide,
): RenderedSource | null {
  const options = { countTokens };
  const fitting: ContextFragment[] = [];
  let tokens = 0;
  for (const { name: author, data } of messages.toReversed()) {
    const text = plainTextOf(data);
    if (text === null || text === '') continue;
    tokens += tokensOf(options, text, []);
    if (tokens > sourceTokens) break;
    fitting.unshift({ name: 'message', data: { author, text } });
  }
  // Names and marks of the format have tokens, too: halving finds the number of messages that fit with them.
  let best: RenderedSource | null = null;
  for (let low = 1, high = fitting.length; low <= high;) {
    const count = Math.ceil((low + high) / 2);
    const text = renderer.render([{ name: 'source', data: fitting.slice(-count) }]);
    const rendered = { messageId, sourceId, text, tokens: tokensOf(options, text, []) };
    if (rendered.tokens > sourceTokens) high = count - 1;
    else {
      best = rendered;
      low = count + 1;
    }
  }
  return best;
}

/**
 * Inserts a message of the user with the sources of each message before it, and not between a result of a tool and its call.
 * @param toItem makes an element of the list
 */
export function withSources<Item extends { id: string | null; name: string }>(
  list: readonly Item[],
  sources: readonly RenderedSource[],
  toItem: (message: UIMessage) => Item,
): Item[] {
  const newestFirst: Item[] = [];
  let held: Item[] = [];
  for (const item of list.toReversed()) {
    newestFirst.push(item);
    const rendered = sources.filter(({ messageId }) => messageId === item.id);
    if (rendered.length > 0) held.push(toItem(sourceMessage(rendered)));
    if (item.name === 'tool') continue;
    newestFirst.push(...held);
    held = [];
  }
  return [...newestFirst, ...held].reverse();
}

/** The message before one that has sources: a part for each. */
export function sourceMessage(sources: readonly RenderedSource[]): UIMessage {
  const parts = sources.map(({ text }) => ({ type: 'text', text }));
  return { id: `${sources[0]?.messageId}:sources`, role: 'user', parts };
}
