/** The sources of messages in Branch.context. */
import type { GraphQLResolveInfo } from 'graphql';
import type { ContextRenderer } from '@parley/context';
import {
  messagesPerSource,
  newestMerges,
  renderSource,
  withSources,
  type RenderedSource,
} from '@parley/context/server';
import { UNITS_PER_TURN } from '../../scheduler/work-turns.js';
import type { Message } from '../../conversation/model.js';
import { fromJson } from '../../graphql/answers/saved-json.js';
import type { Context } from '../../graphql/context.js';
import { beginWork } from '../../graphql/limits/begin-work.js';

/** A message of the context. */
export interface ContextMessage {
  id: string | null;
  name: string;
  /** In the form for a model. */
  message: unknown;
  /** null for an unsaved message. */
  saved: Message | null;
}

export interface SourceLimits {
  sourceTokens?: number | null | undefined;
  renderer: ContextRenderer;
}

/**
 * Inserts the rendered sources of saved messages, by sourceTokens.
 * @throws ContextError for a wrong budget
 */
export async function withSourceMessages(
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
