import type { MessageData, SourcePathData } from '@parley/context';
import { messageNotFound, newestMerges } from '@parley/context/server';
import type { ConversationReads } from '../conversation/reads.js';
import { toMessageData } from './rows.js';

/** The paths to the sources of messages of one path, of a chat that the caller may read. */
export async function sourcePaths(
  reads: ConversationReads,
  chatId: string,
  messages: readonly MessageData[],
  length: number,
): Promise<SourcePathData[]> {
  const ends = [messages[0], messages.at(-1)].map((message) => ({ chatId, id: message?.id ?? '' }));
  const [first, last] = await reads.messages(ends);
  if (first == null || last == null) throw messageNotFound(messages[0]?.id ?? '');
  // Messages are saved after their parents.
  const [sourcesOf = new Map<string, string[]>()] = await reads.sourcesInRanges([
    { chatId, firstSeq: first.seq, lastSeq: last.seq },
  ]);
  const pairs = newestMerges(messages, sourcesOf).flatMap(({ messageId, sourceIds }) =>
    sourceIds.map((sourceId) => ({ messageId, sourceId })),
  );
  if (pairs.length === 0) return [];
  const chains = await reads.chains(pairs.map(({ sourceId }) => ({ chatId, messageId: sourceId, length })));
  return pairs.map((pair, n) => ({ ...pair, path: (chains[n] ?? []).map(toMessageData) }));
}
